/**
 * Components that belong inside another. A model may write one without the other, where the headless library throws: here
 * such a part shows what it holds, and the rest of the page stays.
 */
import * as React from "react";
import { dom, wrapped, type Loose } from "./node.js";

type Lone = string | null | ((props: Loose) => React.ReactNode);

/** What a part alone is: an element of this kind with its children, nothing, or what a function makes of it. */
function alone(lone: Lone, props: Loose): React.ReactNode {
  if (lone === null) return null;
  if (typeof lone === "function") return lone(props);
  const { className, style, id, onClick, children } = dom(props);
  return React.createElement(
    lone,
    { className, style, id, onClick, ...(lone === "button" ? { type: "button" } : {}) },
    wrapped(children),
  );
}

/** A place (`within`) and the parts that need it (`needs`). */
export function family() {
  const Inside = React.createContext(false);
  return {
    within: (children: React.ReactNode) => <Inside.Provider value={true}>{children}</Inside.Provider>,
    needs: (Part: (props: Loose) => React.ReactNode, lone: Lone = "div") =>
      function Member(props: Loose) {
        return React.useContext(Inside) ? <Part {...props} /> : <>{alone(lone, props)}</>;
      },
  };
}
