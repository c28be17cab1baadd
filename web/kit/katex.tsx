/** `$ui4a/ui/katex`: maths as MathML, which browsers draw themselves, so no fonts and no stylesheet are needed. */
import * as React from "react";
import katex from "katex";
import { cn } from "./lib/cn.js";
import { dom, textOf, type Loose } from "./lib/node.js";
import type { Html } from "./lib/props.js";

export interface MathProps extends Html<"span"> {
  /** The formula in TeX, when it is not the children. */
  math?: string;
  /** The same as `math`. */
  tex?: string;
  /** The same as `math`. */
  latex?: string;
}
export interface LaTeXProps extends MathProps {
  /** Sets it apart on a line of its own. */
  block?: boolean;
  /** The same as `block`. */
  display?: boolean;
  /** The same as `block`. */
  displayMode?: boolean;
}

function Maths({ block, math, tex, latex, children, className, ...rest }: Loose) {
  const source = String(math ?? tex ?? latex ?? textOf(children)).replace(/^\s*\$\$?|\$\$?\s*$/g, "");
  const html = React.useMemo(
    () =>
      katex.renderToString(source, {
        displayMode: block,
        output: "mathml",
        throwOnError: false,
        trust: false,
        maxExpand: 1000,
        maxSize: 50,
      }),
    [source, block],
  );
  const props = { "data-slot": "math", ...dom(rest), dangerouslySetInnerHTML: { __html: html } };
  return block ? (
    <div {...props} className={cn("ui4a-scroll overflow-x-auto py-2 text-center text-base", className)} />
  ) : (
    <span {...props} className={className} />
  );
}

/** Maths in a line of text (`block` sets it apart). */
export function LaTeX(props: LaTeXProps): React.ReactNode;
export function LaTeX({ block, display, displayMode, ...rest }: Loose) {
  return <Maths {...rest} block={Boolean(block ?? display ?? displayMode)} />;
}

/** Maths on a line of its own. */
export function MathBlock(props: MathProps): React.ReactNode;
export function MathBlock(props: Loose) {
  return <Maths {...props} block />;
}

export const InlineMath = LaTeX;
export const BlockMath = MathBlock;
