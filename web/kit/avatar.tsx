/** Pictures or initials of people. */
import * as React from "react";
import * as Primitive from "@radix-ui/react-avatar";
import { cn } from "./lib/cn.js";
import { family } from "./lib/family.js";
import { dom, node, part, wrapped, type Loose } from "./lib/node.js";
import type { Html, Part } from "./lib/props.js";

export interface AvatarProps extends Html<"span"> {
  /** The picture's address. */
  src?: string;
  /** Whose it is: read out, and its initials stand in for a missing picture. */
  name?: string;
  alt?: string;
  /** What is shown while there is no picture. */
  fallback?: React.ReactNode;
  size?: "xs" | "sm" | "md" | "lg" | "xl";
}

const avatar = family();

const SIZE: Record<string, string> = {
  xs: "h-6 w-6 text-xs",
  sm: "h-7 w-7 text-xs",
  md: "h-9 w-9 text-sm",
  lg: "h-11 w-11 text-base",
  xl: "h-14 w-14 text-lg",
};

function initials(name: unknown): string {
  const words = String(name ?? "")
    .trim()
    .split(/\s+/)
    .filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase() ?? "")
    .join("");
}

/** An avatar; `src`, `name` and `fallback` do without the parts. */
export function Avatar(props: AvatarProps): React.ReactNode;
export function Avatar({ src, name, alt, fallback, size, className, children, ...rest }: Loose) {
  // Nothing to say, no fallback: the one that a model writes next would take its place, as another mount.
  const said = node(fallback ?? initials(name ?? alt));
  return (
    <Primitive.Root
      data-slot="avatar"
      {...dom(rest)}
      className={cn(
        "relative inline-flex h-9 w-9 shrink-0 items-center justify-center rounded-full bg-surface-3 text-sm font-medium select-none",
        SIZE[size],
        className,
      )}
    >
      {avatar.within(
        children !== undefined ? (
          wrapped(children)
        ) : (
          <>
            {src && <AvatarImage src={src} alt={alt ?? name ?? ""} />}
            {said !== "" && <AvatarFallback>{said}</AvatarFallback>}
          </>
        ),
      )}
    </Primitive.Root>
  );
}

export const AvatarImage: (props: Html<"img">) => React.ReactNode = avatar.needs(
  ({ className, alt, ...rest }: Loose) => {
    return (
      <Primitive.Image
        data-slot="avatar-image"
        alt={alt ?? ""}
        {...dom(rest)}
        className={cn("h-full w-full rounded-full object-cover", className)}
      />
    );
  },
  ({ src, alt }) => <Avatar src={src} alt={alt} />,
);

export const AvatarFallback: (props: Html<"span">) => React.ReactNode = avatar.needs(
  ({ className, children, ...rest }: Loose) => {
    return (
      <Primitive.Fallback
        data-slot="avatar-fallback"
        {...dom(rest)}
        className={cn("flex h-full w-full items-center justify-center rounded-full text-muted-foreground", className)}
      >
        {wrapped(children)}
      </Primitive.Fallback>
    );
  },
  ({ children }) => <Avatar fallback={children} />,
);

export const AvatarBadge: Part<"span"> = part("span", "avatar-badge", (given) =>
  cn("absolute right-0 bottom-0 h-2.5 w-2.5 rounded-full border-2 border-card bg-success", given),
);
export const AvatarGroup: Part<"div"> = part("div", "avatar-group", (given) =>
  cn("flex items-center -space-x-2", given),
);
export const AvatarGroupCount: Part<"span"> = part("span", "avatar-group-count", (given) =>
  cn(
    "inline-flex h-9 w-9 items-center justify-center rounded-full border-2 border-card bg-surface-3 text-xs font-medium text-muted-foreground",
    given,
  ),
);
