/** `$ui4a/ui/katex`: maths as MathML, which browsers draw themselves, so no fonts and no stylesheet are needed. */
// Written by generate.mjs from the kit's sources.

import type * as React from "react";

export interface LaTeXProps extends MathProps {
  /** Sets it apart on a line of its own. */
  block?: boolean;
  /** The same as `block`. */
  display?: boolean;
  /** The same as `block`. */
  displayMode?: boolean;
}

export interface MathProps extends Html<"span"> {
  /** The formula in TeX, when it is not the children. */
  math?: string;
  /** The same as `math`. */
  tex?: string;
  /** The same as `math`. */
  latex?: string;
}

/** The props of an HTML element, without those to which a component gives another meaning. */
type Html<Tag extends keyof React.JSX.IntrinsicElements, Without extends string = never> = Omit<
  React.ComponentProps<Tag>,
  Without
>;

/** Maths in a line of text (`block` sets it apart). */
export declare function LaTeX(props: LaTeXProps): React.ReactNode;

/** Maths on a line of its own. */
export declare function MathBlock(props: MathProps): React.ReactNode;

export declare const InlineMath: typeof LaTeX;

export declare const BlockMath: typeof MathBlock;

export {};
