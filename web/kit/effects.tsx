/** Texts and surfaces that move or shine, of the older dialect. They keep still for those who ask for less motion. */
import * as React from "react";
import { cn } from "./lib/cn.js";
import { dom, flat, node, textOf, wrapped, type Loose } from "./lib/node.js";
import type { Html, Icon, Side } from "./lib/props.js";

export interface TextLoopProps extends Html<"span"> {
  /** Seconds that each text stays. */
  interval?: number;
  items?: React.ReactNode[];
  onIndexChange?: (index: number) => void;
  transition?: object;
  variants?: object;
}
export interface TextMorphProps extends Html<"span"> {
  as?: React.ElementType;
}
export interface TextShimmerProps extends Html<"span"> {
  /** Seconds. */
  duration?: number;
  spread?: number;
  as?: React.ElementType;
}
export interface SpinningTextProps extends Html<"span"> {
  /** Seconds a turn. */
  duration?: number;
  reverse?: boolean;
  /** In widths of a letter. */
  radius?: number;
}
export interface GlowEffectProps extends Html<"div"> {
  colors?: string[];
  blur?: number | string;
  mode?: string;
  scale?: number;
  duration?: number;
}
export interface ProgressiveBlurProps extends Html<"div"> {
  /** The side where the blur is strongest. */
  direction?: Side;
  blurIntensity?: number;
  blurLayers?: number;
}
export interface TiltProps extends Html<"div"> {
  /** Degrees. */
  rotationFactor?: number;
  isRevese?: boolean;
  springOptions?: object;
}
export interface ToolbarDynamicProps extends Html<"div"> {
  items?: {
    label?: React.ReactNode;
    icon?: Icon;
    onClick?: (event: any) => void;
    disabled?: boolean;
    [other: string]: any;
  }[];
}

const still = () => typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches;
const seconds = (given: unknown, fallback: number) => (Number(given) > 0 ? Number(given) : fallback);

/** Shows its children one after another, every `interval` seconds. */
export function TextLoop(props: TextLoopProps): React.ReactNode;
export function TextLoop({
  interval,
  items,
  className,
  children,
  onIndexChange,
  transition: _t,
  variants: _v,
  ...rest
}: Loose) {
  const list = Array.isArray(items) ? items : flat(children);
  const [at, setAt] = React.useState(0);
  const every = seconds(interval, 2) * 1000;
  React.useEffect(() => {
    if (list.length < 2 || still()) return;
    const timer = setInterval(() => setAt((now) => (now + 1) % list.length), every);
    return () => clearInterval(timer);
  }, [list.length, every]);
  const shown = at % Math.max(list.length, 1);
  React.useEffect(() => void onIndexChange?.(shown), [shown]);
  return (
    <span data-slot="text-loop" {...dom(rest)} className={cn("inline-block", className)}>
      <span key={shown} className="ui4a-rise inline-block">
        {node(list[shown])}
      </span>
    </span>
  );
}

/** Text whose change is faded. */
export function TextMorph(props: TextMorphProps): React.ReactNode;
export function TextMorph({ className, children, as: _as, ...rest }: Loose) {
  const text = textOf(children);
  return (
    <span data-slot="text-morph" {...dom(rest)} className={className}>
      <span key={text} className="ui4a-rise inline-block">
        {wrapped(children)}
      </span>
    </span>
  );
}

/** Text over which a light passes every `duration` seconds. */
export function TextShimmer(props: TextShimmerProps): React.ReactNode;
export function TextShimmer({ duration, spread: _spread, as: _as, className, style, children, ...rest }: Loose) {
  const props = dom({ style, ...rest });
  return (
    <span
      data-slot="text-shimmer"
      {...props}
      className={cn("ui4a-shimmer inline-block", className)}
      style={{ animationDuration: `${seconds(duration, 2)}s`, ...props.style }}
    >
      {wrapped(children)}
    </span>
  );
}

/** Text set in a ring that turns. */
export function SpinningText(props: SpinningTextProps): React.ReactNode;
export function SpinningText({ duration, reverse, radius, className, children, ...rest }: Loose) {
  const letters = [...textOf(children)];
  const turn = { animationDuration: `${seconds(duration, 10)}s`, animationDirection: reverse ? "reverse" : "normal" };
  return (
    <span
      data-slot="spinning-text"
      role="img"
      aria-label={textOf(children)}
      {...dom(rest)}
      className={cn("relative inline-block h-32 w-32", className)}
    >
      <span aria-hidden="true" className="ui4a-turning absolute inset-0" style={turn}>
        {letters.map((letter, at) => (
          <span
            key={at}
            className="absolute top-1/2 left-1/2"
            style={{
              transform: `translate(-50%, -50%) rotate(${(360 / letters.length) * at}deg) translateY(${-seconds(radius, 5)}ch)`,
            }}
          >
            {letter}
          </span>
        ))}
      </span>
    </span>
  );
}

/** A soft glow behind what it is placed in. */
export function GlowEffect(props: GlowEffectProps): React.ReactNode;
export function GlowEffect({
  colors,
  blur: _blur,
  mode: _mode,
  scale: _scale,
  duration: _duration,
  className,
  style,
  children,
  ...rest
}: Loose) {
  const list = (
    Array.isArray(colors) && colors.length > 1 ? colors : ["var(--series-1)", "var(--series-4)", "var(--series-2)"]
  ).map(String);
  const props = dom({ style, ...rest });
  return (
    <div
      aria-hidden={children === undefined ? true : undefined}
      data-slot="glow-effect"
      {...props}
      className={cn("pointer-events-none absolute inset-0 opacity-60 blur-lg", className)}
      style={{ backgroundImage: `linear-gradient(90deg, ${list.join(", ")})`, ...props.style }}
    >
      {wrapped(children)}
    </div>
  );
}

const EDGE: Record<string, string> = { top: "to top", bottom: "to bottom", left: "to left", right: "to right" };

/** A blur that grows towards one side. */
export function ProgressiveBlur(props: ProgressiveBlurProps): React.ReactNode;
export function ProgressiveBlur({
  direction,
  blurIntensity,
  blurLayers: _layers,
  children: _children,
  className,
  style,
  ...rest
}: Loose) {
  const mask = `linear-gradient(${EDGE[direction] ?? EDGE.bottom}, transparent, black)`;
  const props = dom({ style, ...rest });
  return (
    <div
      aria-hidden="true"
      data-slot="progressive-blur"
      {...props}
      className={cn("pointer-events-none absolute inset-0", className)}
      style={{ backdropFilter: `blur(${seconds(blurIntensity, 1) * 6}px)`, maskImage: mask, ...props.style }}
    />
  );
}

/** A surface that tilts towards the pointer. */
export function Tilt(props: TiltProps): React.ReactNode;
export function Tilt({ rotationFactor, isRevese: _r, springOptions: _s, className, style, children, ...rest }: Loose) {
  const box = React.useRef<HTMLDivElement>(null);
  const most = seconds(rotationFactor, 12);
  const props = dom({ style, ...rest });
  const tilt = (event: React.PointerEvent) => {
    const area = box.current?.getBoundingClientRect();
    if (!area || !box.current || still()) return;
    const [x, y] = [(event.clientX - area.left) / area.width - 0.5, (event.clientY - area.top) / area.height - 0.5];
    box.current.style.transform = `perspective(800px) rotateX(${-y * most}deg) rotateY(${x * most}deg)`;
  };
  return (
    <div
      ref={box}
      data-slot="tilt"
      {...props}
      onPointerMove={tilt}
      onPointerLeave={() => box.current && (box.current.style.transform = "")}
      className={cn("transition-transform", className)}
      style={props.style}
    >
      {wrapped(children)}
    </div>
  );
}

/** A bar of actions. */
export function ToolbarDynamic(props: ToolbarDynamicProps): React.ReactNode;
export function ToolbarDynamic({ items, className, children, ...rest }: Loose) {
  const list: Loose[] = Array.isArray(items) ? items : [];
  return (
    <div
      role="toolbar"
      data-slot="toolbar"
      {...dom(rest)}
      className={cn(
        "flex w-fit max-w-full flex-wrap items-center gap-1 rounded-lg border border-border bg-card p-1 shadow-xs",
        className,
      )}
    >
      {list.map((item, at) => (
        <button
          key={at}
          type="button"
          onClick={item.onClick ?? item.onSelect}
          className="ui4a-focus inline-flex h-8 cursor-pointer items-center gap-1.5 rounded-md px-2.5 text-sm hover:bg-surface-2"
        >
          {node(item.icon)}
          {node(item.label ?? item.title)}
        </button>
      ))}
      {wrapped(children)}
    </div>
  );
}
