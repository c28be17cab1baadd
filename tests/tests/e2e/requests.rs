//! What a frame asks for: few modules, no chains, only what is imported; and what a later revision adds to it.

use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet};
use ui4a_tests::{Frame, Stage};

const THREE_LIBRARIES: &str = r#"
import { LineChart, Line, XAxis, YAxis, Tooltip } from "recharts";
import { Home, Search, Settings } from "lucide-react";
import { motion, AnimatePresence } from "motion/react";

const data = [{ day: "Mon", sold: 4 }, { day: "Tue", sold: 7 }];

export default function App() {
  return (
    <div>
      <AnimatePresence><motion.h1 initial={{ opacity: 0 }} animate={{ opacity: 1 }}>Sales</motion.h1></AnimatePresence>
      <Home /><Search /><Settings />
      <LineChart width={300} height={200} data={data}>
        <XAxis dataKey="day" /><YAxis /><Tooltip /><Line dataKey="sold" isAnimationActive={false} />
      </LineChart>
    </div>
  );
}
"#;

/// Modules that a page asked for, by name.
fn asked(stage: &Stage) -> BTreeSet<String> {
    let requests = stage.page.requests().into_iter();
    requests.filter_map(|url| Some(url.rsplit_once("/m/")?.1.to_owned())).filter(|name| name.ends_with(".js")).collect()
}

/// The texts of modules, as the frame's own origin serves them.
async fn texts(frame: &Frame, names: &BTreeSet<String>) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for name in names {
        let text = frame.eval(&format!("fetch('/m/{name}').then((answer) => answer.text())")).await?;
        texts.insert(name.clone(), text.as_str().context("a module's text")?.to_owned());
    }
    Ok(texts)
}

/// The longest chain of modules that wait for each other.
fn depth(name: &str, texts: &BTreeMap<String, String>) -> usize {
    let Some(text) = texts.get(name) else { return 0 };
    let waits = texts.keys().filter(|other| text.contains(&format!("./{other}")));
    waits.map(|other| 1 + depth(other, texts)).max().unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn charts_icons_and_motion_load_in_few_requests_without_a_chain() -> Result<()> {
    let stage = Stage::open().await?;
    stage.show("sales", "tsx", THREE_LIBRARIES).await?;
    let drawn =
        "document.querySelector('.recharts-line-curve') && document.querySelectorAll('svg.lucide').length === 3";
    let frame = stage.page.frame_where(drawn).await?;
    let names = asked(&stage);
    let texts = texts(&frame, &names).await?;
    let sizes: Vec<_> = texts.values().map(String::len).collect();
    println!("{} modules, {} bytes: {sizes:?}", names.len(), sizes.iter().sum::<usize>());
    assert!(names.len() <= 12, "{names:?}");
    let deepest = names.iter().map(|name| depth(name, &texts)).max().unwrap_or(0);
    assert!(deepest <= 2, "{deepest}");
    let icons = texts.values().find(|text| text.contains("lucide-")).context("the icons")?;
    assert!(icons.len() <= 12_000, "{} bytes of icons", icons.len());
    Ok(())
}

/// Packages that are made of dozens of small ones, which they share.
#[tokio::test(flavor = "multi_thread")]
async fn packages_of_many_parts_load_in_few_requests() -> Result<()> {
    let source = "import Markdown from \"react-markdown\";\nimport remarkMath from \"remark-math\";\n\
                  import rehypeKatex from \"rehype-katex\";\nexport default () => <Markdown remarkPlugins={[remarkMath]} \
                  rehypePlugins={[rehypeKatex]}>{\"so $x^2$\"}</Markdown>;\n";
    let stage = Stage::open().await?;
    stage.show("maths", "tsx", source).await?;
    let frame = stage.page.frame_where("document.querySelector('.katex')").await?;
    let names = asked(&stage);
    let texts = texts(&frame, &names).await?;
    println!("{} modules, {} bytes", names.len(), texts.values().map(String::len).sum::<usize>());
    assert!(names.len() <= 12, "{names:?}");
    Ok(())
}

/// A later revision that imports more of a package gets more of it, in the same frame, and what was there stays.
#[tokio::test(flavor = "multi_thread")]
async fn a_revision_that_wants_more_of_a_package_keeps_its_state() -> Result<()> {
    let source = |icons: &str, shown: &str| {
        format!(
            "import {{ useEffect, useState }} from \"react\";\nimport {{ {icons} }} from \"lucide-react\";\n\
             export default function App() {{\n  const [count, setCount] = useState(0);\n\
             useEffect(() => {{ globalThis.mounts = (globalThis.mounts ?? 0) + 1; }}, []);\n\
             return <div><button onClick={{() => setCount(count + 1)}}>count {{count}}</button>{shown}</div>;\n}}\n"
        )
    };
    let stage = Stage::open().await?;
    stage.show("icons", "tsx", &source("Home", "<Home />")).await?;
    let frame = stage.page.frame_where("document.querySelectorAll('svg.lucide').length === 1").await?;
    frame.eval("document.querySelector('button').click()").await?;
    frame.wait_for("document.querySelector('button').textContent === 'count 1'").await?;
    let before = asked(&stage);
    stage.show("icons", "tsx", &source("Home, Search", "<Home /><Search />")).await?;
    let frame = stage.page.frame_where("document.querySelectorAll('svg.lucide').length === 2").await?;
    assert_eq!(frame.eval("document.querySelector('button').textContent").await?, "count 1");
    assert_eq!(frame.eval("globalThis.mounts").await?, 1);
    let added: Vec<_> = asked(&stage).difference(&before).cloned().collect();
    assert_eq!(added.len(), 1, "one more module: {added:?}");
    Ok(())
}

/// A package's worker starts from the frame's opaque origin, and answers.
#[tokio::test(flavor = "multi_thread")]
async fn a_package_s_worker_starts_in_a_frame() -> Result<()> {
    let source = "import { FFmpeg } from \"@ffmpeg/ffmpeg@0.12.15\";\nimport { useEffect, useState } from \"react\";\n\
        export default function App() {\n  const [answer, setAnswer] = useState(\"waiting\");\n\
        useEffect(() => { new FFmpeg().load({ coreURL: \"blob:nothing\", wasmURL: \"blob:nothing\" }).catch((error) => setAnswer(String(error))); }, []);\n\
        return <p>{answer}</p>;\n}\n";
    let stage = Stage::open().await?;
    stage.show("worker", "tsx", source).await?;
    // Only the worker looks for what it was sent for: these are its words.
    stage.page.frame_where("document.body?.innerText.includes('blob:nothing')").await?;
    Ok(())
}
