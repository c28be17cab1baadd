/** Markdown. The parser comes when the first text is shown; until then the text is shown as it is. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, textOf, type Loose } from "./lib/node.js";
import type { Html } from "./lib/props.js";

export interface MarkdownProps extends Html<"div", "content"> {
  /** The text, when it is not the children. */
  source?: string;
  /** The same as `source`. */
  content?: string;
  /** The same as `source`. */
  value?: string;
}

const View = React.lazy(() => import("./markdown-view.js"));

export function Markdown(props: MarkdownProps): React.ReactNode;
export function Markdown({ source, content, value, children, className, ...rest }: Loose) {
  const text = String(source ?? content ?? value ?? textOf(children));
  return (
    <div data-slot="markdown" {...dom(rest)} className={cn("ui4a-prose min-w-0 text-sm leading-relaxed", className)}>
      <React.Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <View text={text} />
      </React.Suspense>
    </div>
  );
}
