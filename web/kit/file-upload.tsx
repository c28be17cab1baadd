/** Files, by dialog or by dropping them. They stay in the page: what happens with them is the artifact's to say. */
import * as React from "react";
import Upload from "lucide-react/icons/upload";
import X from "lucide-react/icons/x";
import { cn } from "./lib/cn.js";
import { dom, node, wrapped, type Loose } from "./lib/node.js";
import type { Html } from "./lib/props.js";

export interface FileUploadProps extends Html<"div", "onChange"> {
  value?: any;
  variant?: string;
  /** Kinds of files, as an `<input>` has them: `image/*,.pdf`. */
  accept?: string;
  multiple?: boolean;
  maxFiles?: number;
  /** Bytes. */
  maxSize?: number;
  label?: React.ReactNode;
  description?: React.ReactNode;
  disabled?: boolean;
  /** Gets all files that were chosen. */
  onFilesChange?: (files: File[]) => void;
  /** Gets the first file. */
  onFileChange?: (file: any) => void;
  onChange?: (files: any) => void;
  onValueChange?: (files: any) => void;
}

type Listed = { name: string; size?: number; file?: File; url?: string };

function size(bytes: number | undefined): string {
  if (bytes === undefined) return "";
  return bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${(bytes / 1024).toFixed(0)} kB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function listed(value: unknown): Listed[] | undefined {
  if (value === undefined) return undefined;
  const list = Array.isArray(value) ? value : value === null ? [] : [value];
  return list.map((one) =>
    one instanceof File
      ? { name: one.name, size: one.size, file: one }
      : typeof one === "string"
        ? { name: one.split("/").pop() ?? one, url: one }
        : { name: String(one?.name ?? "File"), size: one?.size, url: one?.url },
  );
}

/** Whether a file is one of those that `accept` names. */
function accepted(file: File, accept: unknown): boolean {
  const kinds =
    typeof accept === "string"
      ? accept
          .split(",")
          .map((kind) => kind.trim().toLowerCase())
          .filter(Boolean)
      : [];
  return (
    kinds.length === 0 ||
    kinds.some((kind) =>
      kind.startsWith(".")
        ? file.name.toLowerCase().endsWith(kind)
        : kind.endsWith("/*")
          ? file.type.startsWith(kind.slice(0, -1))
          : file.type === kind,
    )
  );
}

export function FileUpload(props: FileUploadProps): React.ReactNode;
export function FileUpload({
  value,
  variant,
  accept,
  multiple,
  maxFiles,
  maxSize,
  label,
  description,
  onFileChange,
  onFilesChange,
  onChange,
  onValueChange,
  disabled,
  className,
  children,
  ...rest
}: Loose) {
  const [own, setOwn] = React.useState<File[]>([]);
  const [over, setOver] = React.useState(false);
  const [error, setError] = React.useState("");
  const input = React.useRef<HTMLInputElement>(null);
  const shown = listed(value) ?? own.map((file) => ({ name: file.name, size: file.size, file }));
  const most = multiple || Number(maxFiles) > 1 ? Number(maxFiles) || Number.POSITIVE_INFINITY : 1;
  const tell = (files: File[]) => {
    setOwn(files);
    onFilesChange?.(files);
    onValueChange?.(most === 1 ? (files[0] ?? null) : files);
    onFileChange?.(files[0] ?? null);
    onChange?.(most === 1 ? (files[0] ?? null) : files);
  };
  const add = (files: FileList | null) => {
    const given = [...(files ?? [])];
    const limit = Number(maxSize) || Number.POSITIVE_INFINITY;
    const good = given.filter((file) => accepted(file, accept) && file.size <= limit);
    setError(
      good.length < given.length
        ? `Not added: ${given
            .filter((file) => !good.includes(file))
            .map((file) => file.name)
            .join(", ")}`
        : "",
    );
    if (good.length > 0) tell(most === 1 ? good.slice(0, 1) : [...own, ...good].slice(0, most));
    if (input.current) input.current.value = "";
  };
  const compact = variant === "compact" || variant === "avatar";
  return (
    <div data-slot="file-upload" {...dom(rest)} className={cn("flex min-w-0 flex-col gap-2", className)}>
      <label
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          if (!disabled) add(event.dataTransfer.files);
        }}
        className={cn(
          "ui4a-drop flex cursor-pointer items-center gap-3 rounded-lg border border-dashed border-input bg-card text-sm transition-colors hover:bg-surface-2",
          compact ? "w-fit px-3 py-2" : "flex-col justify-center px-4 py-6 text-center",
          over && "border-primary bg-primary/5",
          disabled && "pointer-events-none opacity-50",
        )}
      >
        <Upload aria-hidden="true" className="h-5 w-5 text-muted-foreground" />
        <span className="flex flex-col">
          <span className="font-medium">{node(label ?? (most === 1 ? "Choose a file" : "Choose files"))}</span>
          {!compact && <span className="text-xs text-muted-foreground">{node(description ?? "or drop here")}</span>}
        </span>
        <input
          ref={input}
          type="file"
          className="sr-only"
          accept={typeof accept === "string" ? accept : undefined}
          multiple={most > 1}
          disabled={disabled}
          onChange={(event) => add(event.target.files)}
        />
      </label>
      {error && (
        <p role="alert" className="text-xs text-danger">
          {error}
        </p>
      )}
      {shown.length > 0 && (
        <ul className="flex list-none flex-col gap-1">
          {shown.map((one, at) => (
            <li
              key={`${one.name} ${at}`}
              className="flex items-center gap-2 rounded-md border border-border px-3 py-1.5 text-sm"
            >
              <span className="min-w-0 flex-1 truncate">{one.name}</span>
              <span className="text-xs text-muted-foreground tabular-nums">{size(one.size)}</span>
              <button
                type="button"
                aria-label={`Remove ${one.name}`}
                onClick={() => tell(own.filter((_, index) => index !== at))}
                className="ui4a-focus inline-flex h-6 w-6 cursor-pointer items-center justify-center rounded-sm text-muted-foreground hover:text-fg"
              >
                <X className="h-4 w-4" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {wrapped(children)}
    </div>
  );
}
