/**
 * `$ui4a/ui/markdown`: a whole document in Markdown, with maths and diagrams. What shows artifacts in Markdown uses it; the
 * library that draws diagrams is handed in, because most documents have none and it is large.
 */
import * as React from "react";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import { LaTeX } from "./katex.js";
import type { Loose } from "./lib/node.js";

export interface MarkdownDocumentProps {
  text: string;
  theme: "light" | "dark";
  /** `mermaid`, once it is there. */
  mermaid?: Loose | null;
  /** A diagram that cannot be drawn: the message, and its line in the text. */
  onFault?: (message: string, line: number) => void;
}

const Settings = React.createContext<Loose>({});

/** Turns what the parser made of `$…$` and ```` ```mermaid ```` into elements of their own. */
function Code({ node, className, children, ...rest }: Loose) {
  const text = String(children ?? "");
  if (/\bmath-(inline|display)\b/.test(className ?? "")) return <LaTeX math={text} block={/\bmath-display\b/.test(className)} />;
  return (
    <code {...rest} className={className}>
      {children}
    </code>
  );
}

function Pre({ node, children, ...rest }: Loose) {
  const code = node?.children?.[0];
  const names: string[] = code?.properties?.className ?? [];
  if (names.includes("math-display")) return <>{children}</>;
  if (names.some((name) => /^language-mermaid$/i.test(name))) return <Fence node={node} plain={<pre {...rest}>{children}</pre>} />;
  return <pre {...rest}>{children}</pre>;
}

/** A fence is a diagram when its end is written: half a diagram is another one, or none. */
function Fence({ node, plain }: Loose) {
  const { text } = React.useContext(Settings);
  const { start, end } = node.position ?? {};
  const written = String(text).slice(start?.offset ?? 0, end?.offset ?? 0).trimEnd();
  const opened = /^[ \t>]*(`{3,}|~{3,})/.exec(written)?.[1] ?? "```";
  const lines = written.split("\n");
  const closed = lines.length > 1 && lines.at(-1)!.replace(/^[ \t>]+/, "").startsWith(opened);
  if (!closed) return plain;
  const source = String(node.children?.[0]?.children?.[0]?.value ?? "");
  return <Diagram source={source} line={start?.line ?? 0} plain={plain} />;
}

let diagrams = 0;
/** One at a time: the library keeps what it draws in variables of its own. */
let drawing: Promise<unknown> = Promise.resolve();

async function draw(mermaid: Loose, theme: string, source: string): Promise<string> {
  const turn = drawing.then(async () => {
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict", suppressErrorRendering: true, theme: theme === "dark" ? "dark" : "default" });
    await mermaid.parse(source);
    diagrams += 1;
    return (await mermaid.render(`ui4a-diagram-${diagrams}`, source)).svg as string;
  });
  drawing = turn.catch(() => {});
  return turn;
}

function Diagram({ source, line, plain }: Loose) {
  const { mermaid, theme, onFault } = React.useContext(Settings);
  const [drawn, setDrawn] = React.useState<Loose>(null);
  React.useEffect(() => {
    if (!mermaid) return undefined;
    let current = true;
    draw(mermaid, theme, source).then(
      (svg) => current && setDrawn({ svg }),
      (error) => {
        if (!current) return;
        setDrawn({ failed: true });
        onFault?.(`This diagram cannot be drawn: ${String(error?.message ?? error).split("\n")[0]}`, line);
      },
    );
    return () => {
      current = false;
    };
  }, [mermaid, theme, source]);
  if (!drawn?.svg) return <div data-slot={drawn?.failed ? "diagram-failed" : "diagram-source"}>{plain}</div>;
  return <div data-slot="diagram" className="ui4a-diagram" role="img" dangerouslySetInnerHTML={{ __html: drawn.svg }} />;
}

/** A task's box shows a state; it is no control. */
function Box({ node, ...rest }: Loose) {
  return <input {...rest} disabled={false} readOnly tabIndex={-1} className="ui4a-task" />;
}

const COMPONENTS: Loose = { code: Code, pre: Pre, input: Box };

export function MarkdownDocument(props: MarkdownDocumentProps): React.ReactNode;
export function MarkdownDocument(props: Loose) {
  return (
    <Settings.Provider value={props}>
      <article data-slot="document" className="ui4a-prose ui4a-document">
        <ReactMarkdown remarkPlugins={[remarkGfm, remarkMath]} components={COMPONENTS} urlTransform={(url: string) => url}>
          {props.text}
        </ReactMarkdown>
      </article>
    </Settings.Provider>
  );
}
