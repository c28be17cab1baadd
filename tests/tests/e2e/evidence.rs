//! G7: what goes wrong at run time is told with its phase, its line in the model's source, and the components around it.

use anyhow::{Context as _, Result};
use serde_json::Value;
use ui4a_tests::{Stage, eventually};

/// Marks the line on which an error must be found.
const MARK: &str = "/*!*/";

struct Case {
    name: &'static str,
    kind: &'static str,
    source: &'static str,
    /// What a person does, in the frame, once the text `ready` is there.
    then: &'static str,
    phase: &'static str,
    message: &'static str,
    /// What the component stack must name.
    within: &'static str,
}

const TSX: Case = Case { name: "", kind: "tsx", source: "", then: "", phase: "", message: "", within: "" };
const HTML: Case = Case { kind: "html", ..TSX };

const CASES: &[Case] = &[
    Case {
        name: "module-top-level",
        source: "const config = JSON.parse('null');\nconst size = config.size; /*!*/\nexport default function App() {\n  return <p>ready {size}</p>;\n}",
        phase: "module",
        message: "size",
        ..TSX
    },
    Case {
        name: "render-of-a-part",
        source: "function Row({ item }) {\n  return <li>{item.name.first}</li>; /*!*/\n}\n\nexport default function App() {\n  return (\n    <ul>ready\n      <Row item={{}} />\n    </ul>\n  );\n}",
        phase: "render",
        message: "first",
        within: "at Row (line 1)\nat ul\nat App (line 5)",
        ..TSX
    },
    Case {
        name: "effect",
        source: "import { useEffect } from 'react';\n\nexport default function App() {\n  useEffect(() => {\n    document.querySelector('#missing').focus(); /*!*/\n  }, []);\n  return <p>ready</p>;\n}",
        phase: "effect",
        message: "focus",
        within: "at App (line 3)",
        ..TSX
    },
    Case {
        name: "cleanup-of-an-effect",
        source: "import { useEffect, useState } from 'react';\n\nexport default function App() {\n  const [n, set] = useState(0);\n  useEffect(() => () => {\n    null.stop(); /*!*/\n  }, [n]);\n  return <button onClick={() => set(1)}>ready</button>;\n}",
        then: "document.querySelector('button').click()",
        phase: "effect",
        message: "stop",
        within: "at App (line 3)",
        ..TSX
    },
    Case {
        name: "handler",
        source: "function Save({ data }) {\n  return (\n    <button onClick={() => {\n      data.save(); /*!*/\n    }}>ready</button>\n  );\n}\n\nexport default function App() {\n  return <div><Save data={{}} /></div>;\n}",
        then: "document.querySelector('button').click()",
        phase: "handler",
        message: "save",
        within: "at button\nat Save (line 1)\nat div\nat App (line 9)",
        ..TSX
    },
    Case {
        name: "async-handler",
        source: "export default function App() {\n  const load = async () => {\n    await null;\n    throw new Error('no such order'); /*!*/\n  };\n  return <button onClick={load}>ready</button>;\n}",
        then: "document.querySelector('button').click()",
        phase: "promise",
        message: "no such order",
        ..TSX
    },
    Case {
        name: "promise",
        source: "import { useEffect } from 'react';\nexport default function App() {\n  useEffect(() => {\n    Promise.resolve().then(() => {\n      undefined.later; /*!*/\n    });\n  }, []);\n  return <p>ready</p>;\n}",
        phase: "promise",
        message: "later",
        ..TSX
    },
    Case {
        name: "timer",
        source: "import { useEffect } from 'react';\nexport default function App() {\n  useEffect(() => {\n    const timer = setTimeout(() => {\n      tick.now(); /*!*/\n    }, 5);\n    return () => clearTimeout(timer);\n  }, []);\n  return <p>ready</p>;\n}\nconst tick = JSON.parse('{}');",
        phase: "handler",
        message: "now",
        ..TSX
    },
    Case {
        name: "listener-by-hand",
        source: "import { useEffect } from 'react';\nexport default function App() {\n  useEffect(() => {\n    const onPing = (event) => {\n      event.detail.value.x; /*!*/\n    };\n    document.addEventListener('ping', onPing);\n    return () => document.removeEventListener('ping', onPing);\n  }, []);\n  return <p>ready</p>;\n}",
        then: "document.dispatchEvent(new CustomEvent('ping'))",
        phase: "handler",
        message: "value",
        ..TSX
    },
    Case {
        name: "native-code-that-was-called",
        source: "const text = '{ half';\nfunction read() {\n  return JSON.parse(text); /*!*/\n}\nexport default function App() {\n  return <button onClick={() => read()}>ready</button>;\n}",
        then: "document.querySelector('button').click()",
        phase: "handler",
        message: "JSON",
        ..TSX
    },
    Case {
        name: "library-that-calls-back",
        source: "import { useSyncExternalStore, useState } from 'react';\nconst store = { subscribe: () => () => {}, read: (on) => (on ? null.x : 1) }; /*!*/\nexport default function App() {\n  const [on, set] = useState(false);\n  const value = useSyncExternalStore(store.subscribe, () => store.read(on));\n  return <button onClick={() => set(true)}>ready {value}</button>;\n}",
        then: "document.querySelector('button').click()",
        phase: "render",
        message: "'x'",
        within: "at App (line 3)",
        ..TSX
    },
    Case {
        name: "class-component",
        source: "import React from 'react';\nclass List extends React.Component {\n  render() {\n    return <ul>{this.props.rows.map((row) => <li key={row}>{row}</li>)}</ul>; /*!*/\n  }\n}\nexport default function App() {\n  return <div>ready<List /></div>;\n}",
        phase: "render",
        message: "map",
        within: "at List (line",
        ..TSX
    },
    Case {
        name: "custom-hook",
        source: "import { useState } from 'react';\nfunction useTotal(rows) {\n  const [total] = useState(() => rows.length.toFixed(2).missing.deep); /*!*/\n  return total;\n}\nexport default function App() {\n  return <p>ready {useTotal([1])}</p>;\n}",
        phase: "render",
        message: "deep",
        within: "at App (line 6)",
        ..TSX
    },
    Case {
        name: "getter",
        source: "const cart = {\n  items: null,\n  get count() {\n    return this.items.length; /*!*/\n  },\n};\nexport default function App() {\n  return <p>ready {cart.count}</p>;\n}",
        phase: "render",
        message: "length",
        within: "at App",
        ..TSX
    },
    Case {
        name: "thrown-text",
        source: "function Part() {\n  throw 'just words';\n}\nexport default function App() {\n  return <div>ready<Part /></div>;\n}",
        phase: "render",
        message: "just words",
        within: "at Part (line 1)\nat div\nat App (line 4)",
        ..TSX
    },
    Case {
        name: "recursion",
        source: "const depth = (n) => depth(n + 1) + 1; /*!*/\nexport default function App() {\n  return <button onClick={() => depth(0)}>ready</button>;\n}",
        then: "document.querySelector('button').click()",
        phase: "handler",
        message: "call stack",
        within: "at App",
        ..TSX
    },
    Case {
        name: "resource",
        source: "export default function App() {\n  return (\n    <div>\n      ready\n      <img src=\"/m/no-such-picture.png\" alt=\"\" /> {/*!*/}\n    </div>\n  );\n}",
        phase: "resource",
        message: "no-such-picture.png",
        within: "at img\nat div\nat App (line 1)",
        ..TSX
    },
    Case {
        name: "inline-script",
        source: "<!doctype html>\n<p>ready</p>\n<script>\n  const rows = null;\n  rows.forEach(() => {}); /*!*/\n</script>\n",
        phase: "module",
        message: "forEach",
        ..HTML
    },
    Case {
        name: "html-handler",
        source: "<p>ready</p>\n<button id=\"go\">Go</button>\n<script>\n  document.querySelector('#go').addEventListener('click', () => {\n    missing.go(); /*!*/\n  });\n</script>\n",
        then: "document.querySelector('#go').click()",
        phase: "handler",
        message: "missing",
        ..HTML
    },
    Case {
        name: "html-timer",
        source: "<p>ready</p>\n<script>\n  setTimeout(() => {\n    null.tick(); /*!*/\n  }, 20);\n</script>\n",
        phase: "handler",
        message: "tick",
        ..HTML
    },
    Case {
        name: "html-promise",
        source: "<p>ready</p>\n<script>\n  (async () => {\n    await null;\n    throw new Error('nothing came'); /*!*/\n  })();\n</script>\n",
        phase: "promise",
        message: "nothing came",
        ..HTML
    },
    Case {
        name: "second-of-two-scripts",
        source: "<p>ready</p>\n<script>\n  const first = 1;\n  const more = 2;\n</script>\n<button>Go</button>\n<script>\n  document.querySelector('button').onclick = () => {\n    second.go(); /*!*/\n  };\n</script>\n",
        then: "document.querySelector('button').click()",
        phase: "handler",
        message: "second",
        ..HTML
    },
    Case {
        name: "html-resource",
        source: "<p>ready</p>\n<img src=\"/m/lost.png\" alt=\"\"> <!-- /*!*/ -->\n",
        phase: "resource",
        message: "lost.png",
        ..HTML
    },
];

#[tokio::test(flavor = "multi_thread")]
async fn g7_errors_of_every_phase_arrive_with_line_and_components() -> Result<()> {
    let stage = Stage::open().await?;
    let mut wrong = Vec::new();
    for case in CASES {
        if let Err(error) = arrives(&stage, case).await {
            wrong.push(format!("{}: {error:#}", case.name));
        }
    }
    anyhow::ensure!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), CASES.len(), wrong.join("\n\n"));
    Ok(())
}

async fn arrives(stage: &Stage, case: &Case) -> Result<()> {
    let artifact = stage.show(case.name, case.kind, case.source).await?;
    if !case.then.is_empty() {
        stage.looked_at(&artifact).await?;
        stage.frame_with("ready").await?.eval(case.then).await?;
    }
    let error = stage.error_with(&artifact, case.message).await?;
    let line = case.source.lines().position(|line| line.contains(MARK)).map(|at| at as u64 + 1);
    anyhow::ensure!(error["phase"] == case.phase, "not the phase {}: {error:#}", case.phase);
    if let Some(line) = line {
        anyhow::ensure!(error["line"] == line, "not line {line}: {error:#}");
    }
    let stack = error["component_stack"].as_str().unwrap_or_default();
    anyhow::ensure!(stack.contains(case.within), "the stack is not {:?}: {stack:?}", case.within);
    Ok(())
}

const TALKS: &str = r#"
import { useEffect } from "react";

console.log("module", { a: 1 });

export default function App() {
  useEffect(() => {
    console.warn("%s has %d rows", "table", 3);
    for (let n = 0; n < 3; n += 1) console.info("again");
  }, []);
  return <button onClick={() => console.error("clicked")}>ready</button>;
}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_printed_is_kept_with_the_report_and_shown_below_the_card() -> Result<()> {
    let stage = Stage::open().await?;
    let artifact = stage.show("talks", "tsx", TALKS).await?;
    stage.looked_at(&artifact).await?;
    stage.frame_with("ready").await?.eval("document.querySelector('button').click()").await?;
    let has = |report: &Value, text: &str| {
        report["console"].as_array().is_some_and(|lines| lines.iter().any(|line| line["text"] == text))
    };
    let report = stage.report_where(&artifact, "the click's line", |report| has(report, "clicked")).await?;
    assert!(has(&report, "module {\"a\":1}") && has(&report, "table has 3 rows"), "{report:#}");
    let again = report["console"].as_array().and_then(|lines| lines.iter().find(|line| line["text"] == "again"));
    assert_eq!(again.context("the repeated line")?["times"], 3);

    stage.page.wait_for("!document.querySelector('.card-details').hidden").await?;
    stage.page.click(".card-details summary").await?;
    stage.page.wait_for("document.querySelector('.console').innerText.includes('clicked')").await?;
    eventually("six lines to be counted", ui4a_tests::PATIENCE, || async {
        let text = stage.page.eval("document.querySelector('.details-count').textContent").await?;
        Ok(text.as_str().is_some_and(|text| text.contains("6 lines")).then_some(()))
    })
    .await
}
