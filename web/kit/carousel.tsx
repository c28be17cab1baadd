/** Slides that scroll and snap, with the platform's own scrolling: touch, wheel and keyboard work. */
import * as React from "react";
import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import { cn } from "./lib/cn.js";
import { dom, node, wrapped, type Loose } from "./lib/node.js";
import { hasParts } from "./dialog.js";
import type { Html } from "./lib/props.js";

export interface CarouselProps extends Html<"div"> {
  /** The slides, instead of CarouselContent and CarouselItem. */
  items?: React.ReactNode[];
  orientation?: "horizontal" | "vertical";
  opts?: object;
  plugins?: unknown[];
  setApi?: (api: any) => void;
}

type State = {
  track: React.RefObject<HTMLDivElement | null>;
  upright: boolean;
  start: boolean;
  end: boolean;
  move: (by: number) => void;
  measure: () => void;
};
const Track = React.createContext<State>({
  track: { current: null },
  upright: false,
  start: true,
  end: true,
  move() {},
  measure() {},
});

/** A carousel from its parts or from `items`. */
export function Carousel(props: CarouselProps): React.ReactNode;
export function Carousel({
  items,
  orientation,
  opts: _opts,
  plugins: _plugins,
  setApi: _setApi,
  className,
  children,
  ...rest
}: Loose) {
  const track = React.useRef<HTMLDivElement>(null);
  const [edge, setEdge] = React.useState({ start: true, end: false });
  const upright = orientation === "vertical";
  const measure = React.useCallback(() => {
    const box = track.current;
    if (!box) return;
    const [at, size, all] = upright
      ? [box.scrollTop, box.clientHeight, box.scrollHeight]
      : [box.scrollLeft, box.clientWidth, box.scrollWidth];
    const next = { start: at <= 1, end: at + size >= all - 1 };
    setEdge((now) => (now.start === next.start && now.end === next.end ? now : next));
  }, [upright]);
  const move = React.useCallback(
    (by: number) => {
      const box = track.current;
      const slide = box?.firstElementChild?.getBoundingClientRect();
      if (!box || !slide) return;
      box.scrollBy(
        upright ? { top: by * slide.height, behavior: "smooth" } : { left: by * slide.width, behavior: "smooth" },
      );
    },
    [upright],
  );
  const state = React.useMemo(() => ({ track, upright, ...edge, move, measure }), [upright, edge, move, measure]);
  const list = Array.isArray(items) ? items : [];
  const own = hasParts(children, [CarouselContent]);
  return (
    <Track.Provider value={state}>
      <section
        data-slot="carousel"
        aria-roledescription="carousel"
        {...dom(rest)}
        className={cn("relative min-w-0", className)}
      >
        {list.length > 0 && !own && (
          <CarouselContent>
            {list.map((item, at) => (
              <CarouselItem key={at}>{node(item?.content ?? item)}</CarouselItem>
            ))}
          </CarouselContent>
        )}
        {wrapped(children)}
        {!hasParts(children, [CarouselNext, CarouselPrevious]) && (
          <>
            <CarouselPrevious />
            <CarouselNext />
          </>
        )}
      </section>
    </Track.Provider>
  );
}

export function CarouselContent(props: Html<"div">): React.ReactNode;
export function CarouselContent({ className, children, ...rest }: Loose) {
  const { track, upright, measure } = React.useContext(Track);
  React.useEffect(() => {
    measure();
    const box = track.current;
    if (!box) return;
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [measure, track, children]);
  return (
    <div
      ref={track}
      tabIndex={0}
      onScroll={measure}
      data-slot="carousel-content"
      {...dom(rest)}
      className={cn(
        "ui4a-carousel ui4a-focus flex gap-4",
        upright ? "max-h-80 flex-col overflow-y-auto" : "overflow-x-auto",
        className,
      )}
    >
      {wrapped(children)}
    </div>
  );
}

export function CarouselItem(props: Html<"div">): React.ReactNode;
export function CarouselItem({ className, children, ...rest }: Loose) {
  return (
    <div
      role="group"
      aria-roledescription="slide"
      data-slot="carousel-item"
      {...dom(rest)}
      className={cn("min-w-0 shrink-0 grow-0 basis-full", className)}
    >
      {wrapped(children)}
    </div>
  );
}

const ARROW =
  "ui4a-focus absolute top-1/2 z-10 inline-flex h-8 w-8 -translate-y-1/2 cursor-pointer items-center justify-center rounded-full border border-border bg-card text-fg shadow-sm hover:bg-surface-2 disabled:opacity-40";

export function CarouselPrevious(props: Html<"button"> & { variant?: string; size?: string }): React.ReactNode;
export function CarouselPrevious({ className, children: _children, variant: _variant, size: _size, ...rest }: Loose) {
  const { start, move } = React.useContext(Track);
  return (
    <button
      type="button"
      aria-label="Previous slide"
      disabled={start}
      onClick={() => move(-1)}
      {...dom(rest)}
      className={cn(ARROW, "left-2", className)}
    >
      <ChevronLeft className="h-4 w-4" />
    </button>
  );
}

export function CarouselNext(props: Html<"button"> & { variant?: string; size?: string }): React.ReactNode;
export function CarouselNext({ className, children: _children, variant: _variant, size: _size, ...rest }: Loose) {
  const { end, move } = React.useContext(Track);
  return (
    <button
      type="button"
      aria-label="Next slide"
      disabled={end}
      onClick={() => move(1)}
      {...dom(rest)}
      className={cn(ARROW, "right-2", className)}
    >
      <ChevronRight className="h-4 w-4" />
    </button>
  );
}
