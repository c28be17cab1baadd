//! Our own sources as plain modules.

use ui4a_renderer::compile_library;

#[test]
fn types_go_imports_stay_and_jsx_is_calls() {
    let source = "import { useState, type FC } from 'react';\nimport { x } from './x';\nexport interface P { a: string }\nexport const App: FC<P> = ({ a }: P) => { const [s] = useState<string>(a); return <p>{s}{x}</p> };\nexport * from './more';\n";
    insta::assert_snapshot!(compile_library(source, "app.tsx").expect("compiles"), @r#"
    import { jsxs as _jsxs } from "react/jsx-runtime";
    import { useState } from 'react';
    import { x } from './x';
    export const App = ({ a })=>{
        const [s] = useState(a);
        return _jsxs("p", {
            children: [
                s,
                x
            ]
        });
    };
    export * from './more';
    "#);
}

#[test]
fn a_ts_file_may_cast_with_angle_brackets() {
    assert_eq!(compile_library("export const a = <number>b;", "a.ts").expect("compiles"), "export const a = b;\n");
}

#[test]
fn errors_have_places() {
    let errors = compile_library("export const a = ;\n", "a.ts").expect_err("does not parse");
    assert_eq!((errors[0].line, errors[0].column), (1, 18));
}
