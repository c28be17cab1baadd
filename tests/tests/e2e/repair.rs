//! What fails is mended with the evidence: at most two rounds, never the same twice, and a person can stop it.

use crate::sources::THROWS;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::time::Duration;
use ui4a_tests::{Browser, PATIENCE, Script, ScriptedModel, Setup, Ui4a};

const GOOD: &str = "export default function App() { return <p>Mended</p>; }";

/// A module that uses a name that nobody declared.
fn broken(name: &str) -> String {
    format!("export default function App() {{ return <p>{{{name}}}</p>; }}")
}

struct Mending {
    model: ScriptedModel,
    ui4a: Ui4a,
    session: String,
}

impl Mending {
    async fn start(scripts: impl IntoIterator<Item = Script>, env: &[(&str, &str)]) -> Result<Self> {
        let mending = Self::silent(scripts, env).await?;
        mending.ui4a.say(&mending.session, "Something").await?;
        Ok(mending)
    }

    /// Before anything was said.
    async fn silent(scripts: impl IntoIterator<Item = Script>, env: &[(&str, &str)]) -> Result<Self> {
        let model = ScriptedModel::start(scripts).await?;
        let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), env, ..Setup::default() }).await?;
        let session = ui4a.session().await?;
        Ok(Self { model, ui4a, session })
    }

    /// The end of mending: its event, when nothing else follows.
    async fn end(&self) -> Result<Value> {
        let log = self.ui4a.wait_for_event(&self.session, "mending to end", PATIENCE, ended).await?;
        ui4a_tests::eventually("the session to rest", PATIENCE, || async {
            let session = self.ui4a.get(&format!("/api/sessions/{}", self.session)).await?;
            Ok((session["running"] == false).then_some(()))
        })
        .await?;
        Ok(log.into_iter().rfind(ended).unwrap_or_default())
    }

    async fn post(&self, path: &str) -> Result<Value> {
        self.ui4a.post(path, json!({})).await
    }
}

fn ended(event: &Value) -> bool {
    event["type"] == "repair.ended"
}

fn repairs(log: &[Value]) -> Vec<&Value> {
    log.iter().map(|event| &event["input"]["repair"]).filter(|repair| repair.is_object()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_throws_in_render_comes_back_with_its_line() -> Result<()> {
    let mending = Mending::start([Script::module("list", THROWS), Script::module("list", GOOD)], &[]).await?;
    let Mending { model, ui4a, session } = &mending;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    let end = mending.end().await?;
    assert_eq!((&end["outcome"], &end["rounds"], &end["rev"]), (&json!("mended"), &json!(1), &json!(2)), "{end}");
    let log = ui4a.log(session).await?;
    let [repair] = repairs(&log)[..] else { anyhow::bail!("one round") };
    assert_eq!((&repair["round"], &repair["rounds"]), (&json!(1), &json!(2)));
    let evidence = repair["evidence"].as_str().unwrap_or_default();
    assert!(
        evidence.contains("Line 3") && evidence.contains("> 3 |   return <ul>{rows.map"),
        "the evidence holds the line of the source, numbered and marked: {evidence}"
    );
    let asked = model.asked()[1].to_string();
    assert!(asked.contains("FAULT in the next line") && asked.contains("rows.map"), "the model is told: {asked}");
    page.frame_where("document.body.innerText.includes('Mended')").await?;
    page.wait_for("document.querySelector('.card-mending')?.innerText.includes('Mended')").await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_answer_again_ends_it_after_one_round() -> Result<()> {
    let again = || Script::module("a", &broken("nothing"));
    let mending = Mending::start([again(), again(), again(), again()], &[]).await?;
    let end = mending.end().await?;
    assert_eq!((&end["outcome"], &end["rounds"]), (&json!("same-source"), &json!(1)), "{end}");
    assert!(
        end["reason"].as_str().is_some_and(|reason| reason.contains("nothing is not defined")),
        "it says what is wrong: {end}"
    );
    assert_eq!(mending.model.asked().len(), 2);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_fault_in_other_words_ends_it_too() -> Result<()> {
    let other = format!("// Mended now.\n\n{}", broken("nothing"));
    let scripts = [Script::module("a", &broken("nothing")), Script::module("a", &other), Script::module("a", GOOD)];
    let mending = Mending::start(scripts, &[]).await?;
    assert_eq!(mending.end().await?["outcome"], "same-error");
    assert_eq!(mending.model.asked().len(), 2);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn going_back_and_forth_ends_after_two_rounds() -> Result<()> {
    let turns = ["one", "two", "one", "two"].map(|name| Script::module("a", &broken(name)));
    let mending = Mending::start(turns, &[]).await?;
    let end = mending.end().await?;
    assert_eq!((&end["outcome"], &end["rounds"]), (&json!("same-source"), &json!(2)), "{end}");
    assert_eq!(mending.model.asked().len(), 3);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_third_fault_is_given_up_and_trying_again_is_a_new_start() -> Result<()> {
    let turns = ["one", "two", "three", "four"].map(|name| Script::module("a", &broken(name)));
    let mending = Mending::start(turns, &[]).await?;
    let end = mending.end().await?;
    assert_eq!((&end["outcome"], &end["rounds"]), (&json!("rounds-used"), &json!(2)), "{end}");
    assert_eq!(mending.model.asked().len(), 3);
    mending.model.push(Script::module("a", GOOD));
    let artifact = end["artifact"].as_str().context("an artifact")?;
    mending.post(&format!("/api/artifacts/{artifact}/repair")).await?;
    mending.ui4a.wait_for_turns(&mending.session, 5, PATIENCE).await?;
    let log = mending.ui4a.log(&mending.session).await?;
    let rounds: Vec<_> = repairs(&log).iter().filter_map(|repair| repair["round"].as_u64()).collect();
    assert_eq!(rounds, [1, 2, 1, 2], "two rounds more");
    let temperature = |at: usize| mending.model.asked()[at]["temperature"].as_f64().unwrap_or_default();
    assert!(temperature(1) == 0.0 && temperature(3) > 0.0, "what failed is not asked for in the same way again");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_round_may_mend_it_and_the_page_says_so_after_a_reload_too() -> Result<()> {
    let slow = Script::module("a", GOOD).pause(Duration::from_millis(150));
    let scripts = [Script::module("a", &broken("one")), Script::module("a", &broken("two")), slow];
    let mending = Mending::silent(scripts, &[]).await?;
    let Mending { ui4a, session, .. } = &mending;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    page.wait_for("document.querySelector('.empty')").await?;
    ui4a.say(session, "Something").await?;
    page.wait_for("/Mending, round 2 of 2.*two/s.test(document.querySelector('.card-mending')?.innerText)").await?;
    let end = mending.end().await?;
    assert_eq!((&end["outcome"], &end["rounds"]), (&json!("mended"), &json!(2)), "{end}");
    let log = ui4a.log(session).await?;
    let usage: Vec<_> =
        log.iter().filter(|event| event["type"] == "turn.finished").map(|event| &event["usage"]).collect();
    assert!(usage[0]["repair"] == 0 && usage[1]["repair"].as_u64() > Some(0) && usage[1]["answer"] == 0, "{usage:?}");
    assert_eq!(end["tokens"], usage[1]["repair"].as_u64().unwrap_or(0) + usage[2]["repair"].as_u64().unwrap_or(0));

    let shown = "[...document.querySelectorAll('.card-mending, .chip, .turn-meta, .aside summary')].map((e) => e.innerText.trim())";
    page.wait_for("document.querySelector('.card-mending')?.innerText.includes('Mended')").await?;
    let live = page.eval(shown).await?;
    page.reload().await?;
    page.frame_where("document.body.innerText.includes('Mended')").await?;
    let replayed = page.eval(shown).await?;
    assert_eq!(live, replayed, "a replay says what live said");
    assert_eq!(mending.model.asked().len(), 3, "and starts nothing");
    // A look at the layout may be told after the end.
    let told = |log: &[Value]| log.iter().filter(|event| event["type"] != "artifact.report").count();
    assert_eq!(told(&ui4a.log(session).await?), told(&log));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_a_module_ends_it() -> Result<()> {
    for nothing in ["I am sorry, I cannot see what is wrong.", ""] {
        let mending = Mending::start([Script::module("a", &broken("x")), Script::new(nothing)], &[]).await?;
        let end = mending.end().await?;
        assert_eq!((&end["outcome"], &end["rounds"]), (&json!("no-module"), &json!(1)), "{nothing:?}: {end}");
        assert_eq!(mending.model.asked().len(), 2);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_mends_one_interface_makes_no_other_one() -> Result<()> {
    let mending = Mending::start([Script::module("a", &broken("x")), Script::module("fixed", GOOD)], &[]).await?;
    mending.ui4a.wait_for_turns(&mending.session, 2, PATIENCE).await?;
    let session = mending.ui4a.get(&format!("/api/sessions/{}", mending.session)).await?;
    assert_eq!(session["artifacts"].as_array().map(Vec::len), Some(1), "a new name for it is its next revision");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_stops_it_on_the_page_and_no_round_follows() -> Result<()> {
    let slow = Script::module("a", &broken("two")).pause(Duration::from_millis(250));
    let mending = Mending::silent([Script::module("a", &broken("one")), slow, Script::module("a", GOOD)], &[]).await?;
    let Mending { model, ui4a, session } = &mending;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    page.wait_for("document.querySelector('.empty')").await?;
    ui4a.say(session, "Something").await?;
    page.wait_for("document.querySelector('.card-mending button')?.innerText === 'Stop'").await?;
    page.click(".card-mending button").await?;
    assert_eq!(mending.end().await?["outcome"], "stopped");
    page.wait_for("/stopped/i.test(document.querySelector('.card-mending')?.innerText)").await?;
    page.wait_for("document.querySelector('.card-mending button')?.innerText === 'Try again'").await?;
    let log = ui4a.log(session).await?;
    assert_eq!(log.iter().filter(|event| event["type"] == "turn.finished").count(), 2);
    assert_eq!(log.iter().filter(|event| ended(event)).count(), 1, "told once");
    assert_eq!(model.asked().len(), 2);

    page.click(".card-mending button").await?;
    page.frame_where("document.body.innerText.includes('Mended')").await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn two_that_fail_at_once_are_mended_one_after_the_other() -> Result<()> {
    let both = format!("{}\n{}", Script::module("a", &broken("one")).text, Script::module("b", &broken("two")).text);
    let scripts = [Script::new(both), Script::module("a", GOOD), Script::module("b", GOOD)];
    let mending = Mending::start(scripts, &[]).await?;
    let Mending { model, ui4a, session } = &mending;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    ui4a.wait_for_event(session, "both to be mended", PATIENCE, |event| ended(event) && event["outcome"] == "mended")
        .await?;
    let log = ui4a_tests::eventually("both to be mended", PATIENCE, || async {
        let log = ui4a.log(session).await?;
        Ok((log.iter().filter(|event| ended(event)).count() == 2).then_some(log))
    })
    .await?;
    let mended: Vec<_> = repairs(&log).iter().map(|repair| repair["artifact"].clone()).collect();
    assert!(mended.len() == 2 && mended[0] != mended[1], "{mended:?}");
    assert_eq!(model.asked().len(), 3);
    page.wait_for("document.querySelectorAll('.card[data-status=repaired]').length === 2").await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_that_leaves_no_room_is_not_spent() -> Result<()> {
    let scripts = [Script::module("a", &broken("x")), Script::module("a", GOOD)];
    let mending = Mending::start(scripts, &[("UI4A_REPAIR_TOKENS", "600")]).await?;
    let end = mending.end().await?;
    assert_eq!((&end["outcome"], &end["tokens"]), (&json!("budget-used"), &json!(0)), "{end}");
    assert_eq!(mending.model.asked().len(), 1, "the model was not asked");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_while_it_mends_begins_no_round_by_itself() -> Result<()> {
    let slow = Script::module("a", GOOD).pause(Duration::from_millis(300));
    let Mending { model, ui4a, session } =
        Mending::start([Script::module("a", &broken("x")), slow, Script::module("a", GOOD)], &[]).await?;
    ui4a.wait_for_event(&session, "a round", PATIENCE, |event| event["input"]["repair"].is_object()).await?;
    ui4a_tests::eventually("the model to be asked", PATIENCE, || async {
        Ok((model.asked().len() == 2).then_some(()))
    })
    .await?;
    let home = ui4a.kill().await?;
    let setup = Setup { model_server: Some(model.url.clone()), home: Some(home), ..Setup::default() };
    let ui4a = Ui4a::start(setup).await?;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    page.wait_for("/interrupted/i.test(document.querySelector('.card-mending')?.innerText)").await?;
    page.wait_for("document.querySelector('.card-mending button')?.innerText === 'Try again'").await?;
    // The page has shown the failing revision again and has told what it saw of it.
    ui4a.wait_for_event(&session, "a report", PATIENCE, |event| event["type"] == "artifact.report").await.ok();
    let log = ui4a.log(&session).await?;
    assert_eq!(repairs(&log).len(), 1, "no other round");
    assert_eq!(model.asked().len(), 2);
    Ok(())
}

/// Works, but a click throws; and the attempts to mend that show nothing at all.
const CLICK_THROWS: &str = r#"
export default function App() {
  const save = (rows) => rows.total.toFixed(2);
  return <div><p>Still here</p><button id="save" onClick={() => save({})}>Save</button></div>;
}
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_worse_revision_does_not_take_the_place_of_a_working_picture() -> Result<()> {
    let throws = |text: &str| format!("throw new Error('{text}');\n{GOOD}");
    let scripts = [
        Script::module("a", CLICK_THROWS),
        Script::module("a", &throws("worse")),
        Script::module("a", &throws("even worse")),
    ];
    let mending = Mending::start(scripts, &[]).await?;
    let Mending { model, ui4a, session } = &mending;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    let frame = page.frame_where("document.querySelector('#save')").await?;
    ui4a.wait_for_turns(session, 1, PATIENCE).await?;
    page.click_in(&frame, "document.querySelector('#save')").await?;
    let end = mending.end().await?;
    assert_eq!((&end["outcome"], &end["rounds"]), (&json!("rounds-used"), &json!(2)), "{end}");
    let asked = model.asked();
    assert!(asked[1].to_string().contains("toFixed") && asked[1].to_string().contains("in an event handler"));
    assert!(asked[2].to_string().contains("worse"), "the second round is told of the first one's failure");
    let keeps = "document.body.innerText.includes('Still here') && document.querySelector('#save')";
    page.frame_where(keeps).await?;
    page.wait_for("/revision 1 .*shown/i.test(document.querySelector('.card')?.innerText)").await?;
    page.reload().await?;
    page.frame_where(keeps).await?;
    Ok(())
}

/// Field case G7: errors while running reach the model, with their line.
#[tokio::test(flavor = "multi_thread")]
async fn errors_of_every_kind_reach_the_model_with_line_and_message() -> Result<()> {
    let cases = [
        (
            "module",
            2,
            "const a = 1;\nthrow new Error('at module');\nexport default function App() { return <p>m</p>; }",
        ),
        (
            "effect",
            3,
            "import { useEffect } from 'react';\nexport default function App() {\n  useEffect(() => { throw new Error('at effect'); }, []);\n  return <p>e</p>;\n}",
        ),
        (
            "promise",
            4,
            "import { useEffect } from 'react';\nexport default function App() {\n  useEffect(() => {\n    Promise.reject(new Error('at promise'));\n  }, []);\n  return <p>p</p>;\n}",
        ),
        (
            "handler",
            2,
            "export default function App() {\n  const go = () => { throw new Error('at handler'); };\n  return <button id='go' onClick={go}>Go</button>;\n}",
        ),
    ];
    let scripts: Vec<_> =
        cases.iter().flat_map(|(name, _, source)| [Script::module(name, source), Script::module(name, GOOD)]).collect();
    let model = ScriptedModel::start(scripts).await?;
    let ui4a = Ui4a::start(Setup { model_server: Some(model.url.clone()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    for (at, (name, line, _)) in cases.iter().enumerate() {
        ui4a.say(&session, name).await?;
        if *name == "handler" {
            let frame = page.frame_where("document.querySelector('#go')").await?;
            ui4a.wait_for_turns(&session, 2 * at + 1, PATIENCE).await?;
            page.click_in(&frame, "document.querySelector('#go')").await?;
        }
        ui4a.wait_for_turns(&session, 2 * at + 2, PATIENCE).await?;
        let asked = model.asked()[2 * at + 1]["messages"].to_string();
        assert!(asked.contains(&format!("Line {line}: ")) && asked.contains(&format!("at {name}")), "{name}: {asked}");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_are_a_quiet_count_and_lead_to_their_line() -> Result<()> {
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let session = ui4a.session().await?;
    let browser = Browser::launch().await?;
    let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
    page.wait_for("document.querySelector('.empty')").await?;
    let path = format!("/api/sessions/{session}/artifacts?wait=paint");
    ui4a.post(&path, json!({"code": GOOD, "id": "good"})).await?;
    page.wait_for("document.querySelector('.card .findings-badge')?.hidden").await?;
    let code = "const a = 1;\n\nexport default function App() {\n  return <p>{missing}</p>;\n}\n";
    ui4a.post(&path, json!({"code": code, "id": "bad"})).await?;
    let card = "[...document.querySelectorAll('.card')].at(-1)";
    page.wait_for(&format!("/error/i.test({card}.querySelector('.findings-badge:not([hidden])')?.title)")).await?;
    page.wait_for(&format!("{card}.querySelector('.card-findings').hidden")).await?;
    page.eval(&format!("{card}.querySelector('.findings-badge').click()")).await?;
    page.wait_for(&format!("/missing/.test({card}.querySelector('.card-findings:not([hidden])')?.innerText)")).await?;
    let line = format!("[...{card}.querySelectorAll('.finding-at')].find((at) => at.innerText === 'Line 4')");
    page.eval(&format!("{line}.click()")).await?;
    // The mark lies over the line that holds the name, wherever the browser put that line.
    let marked = format!(
        "(() => {{ const source = {card}.querySelector('.card-body > .source-view:not([hidden]) .source'); const mark = source?.querySelector('.source-mark:not([hidden])'); \
         const text = source?.querySelector('code').firstChild; const at = text?.data.indexOf('missing') ?? -1; if (!mark || at < 0) return false; \
         const range = new Range(); range.setStart(text, at); range.setEnd(text, at + 7); \
         const [line, over] = [range.getBoundingClientRect(), mark.getBoundingClientRect()]; \
         return over.height < 2 * line.height && over.top <= line.top + 2 && over.bottom >= line.bottom - 2; }})()"
    );
    page.wait_for(&marked).await
}
