/** Gives charts their box: a size to fill, the theme, and the names and colours of a `config`. */
import * as React from "react";
import * as R from "recharts";
import { cn } from "../lib/cn.js";
import { dom, type Loose } from "../lib/node.js";
import { theme } from "./theme.js";
import type { Html } from "../lib/props.js";

export interface ChartContainerProps extends Html<"div"> {
  /** The name and the colour of each series. */
  config?: ChartConfig;
  width?: number | string;
  height?: number | string;
  initialDimension?: { width: number; height: number };
}
export interface ResponsiveContainerProps extends Html<"div"> {
  width?: number | string;
  height?: number | string;
  aspect?: number;
  minWidth?: number | string;
  minHeight?: number | string;
  maxHeight?: number;
  debounce?: number;
  initialDimension?: { width: number; height: number };
  onResize?: any;
}

export type ChartConfig = Record<
  string,
  { label?: React.ReactNode; color?: string; icon?: React.ComponentType; theme?: Record<string, string> }
>;

/** True inside a container that has already decided the size. */
export const Boxed = React.createContext(false);

const Config = React.createContext<ChartConfig>({});

/** The names and colours that the container around was given. */
export const useChart = (): { config: ChartConfig } => ({ config: React.useContext(Config) });

/** A colour as CSS: `hsl(var(--chart-1))` of older themes falls to the token, which is a whole colour already. */
export function cssColor(color: string | undefined): string | undefined {
  return color?.replace(/^(?:hsl|oklch|rgb)\(\s*(var\(--(?:chart|series)-\d\))\s*\)$/, "$1");
}

/** A property name that is safe in a custom property. */
const safe = (key: string) => key.replace(/[^\w-]/g, "-");

/** The box of a chart, with `config` naming its series; the height is `h-64` unless a class says otherwise. */
export function ChartContainer(props: ChartContainerProps): React.ReactNode;
export function ChartContainer({
  config,
  className,
  children,
  style,
  height,
  width: _width,
  initialDimension: _initial,
  ...rest
}: Loose) {
  const named: ChartConfig = config !== null && typeof config === "object" ? config : {};
  const colors: Loose = {};
  for (const [key, entry] of Object.entries(named)) {
    const color = cssColor(entry?.color ?? entry?.theme?.light);
    if (color) colors[`--color-${safe(key)}`] = color;
  }
  const props = dom({ style, ...rest });
  return (
    <Config.Provider value={named}>
      <Boxed.Provider value={true}>
        <div
          data-slot="chart"
          {...props}
          style={{ ...colors, ...(height === undefined ? {} : { height }), ...props.style }}
          className={cn("ui4a-chart h-64 min-h-32 w-full min-w-0 text-xs", className)}
        >
          <Themed>
            <R.ResponsiveContainer width="100%" height="100%">
              {children}
            </R.ResponsiveContainer>
          </Themed>
        </div>
      </Boxed.Provider>
    </Config.Provider>
  );
}

/** Our colours for all that is inside. The artifact may bring an older recharts, which knows no themes. */
export const Themed = ({ children }: Loose) =>
  R.RechartsThemeProvider ? <R.RechartsThemeProvider value={theme}>{children}</R.RechartsThemeProvider> : <>{children}</>;

/** recharts' own container, which here also tells the chart inside that its size is decided. */
export function ResponsiveContainer(props: ResponsiveContainerProps): React.ReactNode;
export function ResponsiveContainer({ children, width = "100%", height = "100%", ...rest }: Loose) {
  return (
    <Boxed.Provider value={true}>
      <Themed>
        <R.ResponsiveContainer {...rest} width={width} height={height}>
          {children}
        </R.ResponsiveContainer>
      </Themed>
    </Boxed.Provider>
  );
}

/** Custom properties from `config` are set inline, so there is no style element to render; kept for those who import it. */
export function ChartStyle(): null {
  return null;
}
