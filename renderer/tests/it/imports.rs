//! Imports that are missing, misplaced or twice.

use crate::cells::{compiled, parts};
use ui4a_renderer::Compiled;

fn codes(compiled: &Compiled) -> Vec<(&str, u32, u32)> {
    compiled.diagnostics.iter().map(|found| (found.code.as_str(), found.line, found.column)).collect()
}

#[test]
fn forgotten_imports_are_supplied() {
    let source = "export default function App() {\n  const [a] = useState(0);\n  return <Card onClick={() => sendMessage('x')}>{a}</Card>;\n}";
    let compiled = compiled(source);
    assert_eq!(codes(&compiled), [("import-added", 2, 15), ("import-added", 3, 11), ("import-added", 3, 31)]);
    let (_, text) = parts(&compiled, "App");
    for lookup in ["$i[\"react\"].useState", "$i[\"$ui4a/ui\"].Card", "$i[\"$ui4a/chat\"].sendMessage"] {
        assert!(text.contains(lookup), "{text}");
    }
    assert_eq!(compiled.imports["$ui4a/ui"].names, ["Card"]);
}

#[test]
fn a_name_of_the_browser_is_not_taken_for_a_component() {
    let compiled = compiled("export default () => <Text>{new Text('x').data}{Math.max(1)}</Text>");
    assert!(compiled.imports["$ui4a/ui"].names.contains(&"Text".to_owned()));
    let plain = self::compiled("export default () => <p>{new Text('x').data}</p>");
    assert!(plain.imports.is_empty() && plain.diagnostics.is_empty(), "{:?}", plain.diagnostics);
}

#[test]
fn misplaced_kit_imports_find_the_kit() {
    for (import, warned) in [
        ("import { Button } from '@/components/ui/button'", false),
        ("import Button from '@/components/ui/button'", false),
        ("import { Button } from './components/Button'", true),
        ("import { Button } from '$ui4a/ui/button'", true),
        ("import { Button } from 'ui4a/ui'", true),
        ("import { Button } from '@ui4a/ui'", true),
        ("import { Button } from '$ui4a/chat'", true),
    ] {
        let compiled = compiled(&format!("{import};\nexport default () => <Button onClick={{console.log}}>x</Button>"));
        assert_eq!(compiled.imports.keys().collect::<Vec<_>>(), ["$ui4a/ui"], "{import}");
        let found: Vec<&str> = compiled.diagnostics.iter().map(|found| found.code.as_str()).collect();
        assert_eq!(found, if warned { vec!["import-redirected"] } else { vec![] }, "{import}");
    }
}

#[test]
fn what_nobody_exports_is_said_with_the_nearest_names() {
    let compiled = compiled(
        "import { Buton } from '$ui4a/ui';\nimport { api } from './api';\nimport { x } from '@ui4a/icons';\nexport default () => <Buton onClick={api}>{x}{formatt(1)}</Buton>;\nfunction format() {}",
    );
    let found: Vec<_> = compiled
        .diagnostics
        .iter()
        .map(|found| (found.code.as_str(), found.line, found.help.as_deref().unwrap_or("")))
        .collect();
    assert_eq!(
        found,
        [
            ("unknown-export", 1, "Nearest: Button"),
            ("relative-import", 2, "Write api in this module"),
            ("unknown-module", 3, "There are: $ui4a/ui, $ui4a/ui/charts, $ui4a/chat, $ui4a/state"),
            ("unresolved-name", 4, "Nearest: format"),
        ]
    );
    assert!(compiled.ok, "the rest is shown");
}

#[test]
fn imports_name_their_use_and_place() {
    let source = "import React, { useState, type FC, ReactNode } from 'react';\nimport * as d3 from 'd3';\nimport 'x/style.css';\nimport { unused } from 'unused';\nconst App: FC<ReactNode> = () => <p>{React.version}{d3.max([])}{useState}</p>;\nexport default App;\nimport('later');";
    let imports = compiled(source).imports;
    assert_eq!(imports.keys().collect::<Vec<_>>(), ["d3", "later", "react", "x/style.css"]);
    assert_eq!(
        (imports["react"].names.join(" "), imports["react"].line, imports["react"].column),
        ("default useState".into(), 1, 53)
    );
    assert_eq!(imports["d3"].names, ["*"]);
    assert_eq!(imports["x/style.css"].names, Vec::<String>::new());
}

#[test]
fn the_same_name_twice_is_said() {
    let source = "import { useState } from 'react';\nimport { useState } from 'react';\nconst a = useState; const a = 1;\nexport default () => <p>{a}</p>";
    let found = compiled(source);
    assert_eq!(codes(&found), [("duplicate-import", 2, 10), ("duplicate-name", 3, 21)]);
}
