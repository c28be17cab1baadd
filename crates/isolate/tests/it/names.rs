//! What bundles export.

use crate::pool;
use anyhow::Result;
use serde_json::json;
use ui4a_isolate::{IsolateError, Job};

#[tokio::test]
async fn a_bundle_in_the_manner_of_lodash_names_its_functions() -> Result<()> {
    let source = ";(function() {
        var root = typeof self == 'object' && self.Object === Object && self || Function('return this')();
        function lodash(value) { return value; }
        lodash.chunk = function() {}; lodash.map = function() {};
        Object.defineProperty(lodash, 'hidden', { value: 1, enumerable: false });
        if (typeof module == 'object' && module.exports) { (module.exports = lodash)._ = lodash; }
        else { root._ = lodash; }
    }.call(this)); // a comment at the end";
    assert_eq!(pool().names(source).await?, ["chunk", "map", "_"]);
    Ok(())
}

#[tokio::test]
async fn a_compiled_es_module_names_default_and_its_mark() -> Result<()> {
    let source = "'use strict'; Object.defineProperty(exports, '__esModule', { value: true });
        exports.default = void 0; exports.Chart = class {};
        Object.defineProperty(exports, 'lazy', { enumerable: true, get() { throw new Error('not now'); } });";
    assert_eq!(pool().names(source).await?, ["default", "Chart", "lazy", "__esModule"]);
    Ok(())
}

#[tokio::test]
async fn a_package_that_wants_a_page_and_dependencies_still_loads() -> Result<()> {
    let source = "const React = require('react'); const { forwardRef } = React;
        class Base extends React.Component {}
        const style = document.createElement('style'); document.head.appendChild(style);
        if (window.navigator.userAgent.includes('x')) throw new Error('no');
        const dev = process.env.NODE_ENV !== 'production';
        for (const x of require('list')) throw new Error('never ' + x);
        new ResizeObserver(() => {}).observe(document.body);
        setTimeout(() => { throw new Error('later'); }, 0);
        module.exports = { Base, Icon: forwardRef(() => null), dev, text: `${React.version}` };";
    assert_eq!(pool().names(source).await?, ["Base", "Icon", "dev", "text"]);
    Ok(())
}

#[tokio::test]
async fn what_throws_says_why() -> Result<()> {
    let pool = pool();
    let Err(IsolateError::Threw(message)) = pool.names("exports.a = 1; throw new TypeError('no canvas')").await else {
        anyhow::bail!("it threw")
    };
    assert!(message.contains("no canvas"), "{message}");
    let Err(IsolateError::Threw(message)) = pool.names("this is no JavaScript").await else {
        anyhow::bail!("it does not parse")
    };
    assert!(message.contains("SyntaxError"), "{message}");
    assert_eq!(pool.names("module.exports = 5").await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn a_script_reads_its_input_and_its_promise_is_awaited() -> Result<()> {
    let pool = pool();
    let job = |source: &str| Job { source: source.to_owned(), input: json!({"a": [1, 2]}) };
    assert_eq!(pool.run(job("input.a.map((n) => n * 2)")).await?, json!([2, 4]));
    assert_eq!(
        pool.run(job("(async () => { await null; return { sum: input.a[0] + input.a[1] }; })()")).await?,
        json!({"sum": 3})
    );
    assert_eq!(pool.run(job("undefined")).await?, json!(null));
    let Err(IsolateError::Threw(message)) = pool.run(job("Promise.reject(new Error('nope'))")).await else {
        anyhow::bail!("it was rejected")
    };
    assert!(message.contains("nope"), "{message}");
    Ok(())
}

#[tokio::test]
async fn one_job_leaves_nothing_to_the_next_over_150_of_them() -> Result<()> {
    let pool = pool();
    for at in 0..150 {
        let source =
            format!("if (globalThis.before) throw new Error('seen'); globalThis.before = 1; exports.n{at} = 1;");
        assert_eq!(pool.names(&source).await?, [format!("n{at}")]);
    }
    Ok(())
}
