//! Comments that stand where code should: “… rest of the code”, “same as before”, in the languages that models answer in.

use super::Finding;
use ui4a_types::{Phase, Severity};

/// What an eliding comment says, in lower case.
const PHRASES: &[&str] = &[
    // English
    "rest of the code",
    "rest of code",
    "rest of your code",
    "rest of the component",
    "rest of component",
    "rest of the implementation",
    "rest of the file",
    "rest of the page",
    "rest of the styles",
    "rest of the jsx",
    "rest of the logic",
    "rest of the functions",
    "rest remains",
    "rest is the same",
    "rest stays",
    "rest unchanged",
    "same as before",
    "same as above",
    "same as previous",
    "same as earlier",
    "same as in the previous",
    "as before",
    "remains the same",
    "remain the same",
    "remains unchanged",
    "remain unchanged",
    "stays the same",
    "is unchanged",
    "are unchanged",
    "unchanged code",
    "existing code",
    "existing functions",
    "existing imports",
    "existing logic",
    "existing jsx",
    "existing styles",
    "previous code",
    "code omitted",
    "omitted for brevity",
    "omitted for clarity",
    "implementation omitted",
    "for brevity",
    "your code here",
    "your logic here",
    "code goes here",
    "logic goes here",
    "content goes here",
    "add your",
    "add more here",
    "add logic here",
    "implement the rest",
    "implement this",
    "implement me",
    "implementation here",
    "implementation goes here",
    "to be implemented",
    "not implemented",
    "todo: implement",
    "todo: add",
    "keep the rest",
    "no changes here",
    "no changes needed",
    // German
    "rest des codes",
    "restlicher code",
    "rest bleibt",
    "wie zuvor",
    "wie vorher",
    "wie oben",
    "wie bisher",
    "bleibt gleich",
    "bleibt unverändert",
    "bleiben unverändert",
    "unverändert",
    "bestehender code",
    "vorhandener code",
    "code hier einfügen",
    "hier implementieren",
    // French
    "reste du code",
    "le reste est inchangé",
    "comme avant",
    "comme précédemment",
    "comme ci-dessus",
    "inchangé",
    "code existant",
    "votre code ici",
    "à implémenter",
    // Spanish
    "resto del código",
    "igual que antes",
    "lo mismo que antes",
    "como antes",
    "sin cambios",
    "código existente",
    "tu código aquí",
    "código anterior",
    // Portuguese
    "restante do código",
    "resto do código",
    "igual a antes",
    "igual ao anterior",
    "mesmo que antes",
    "sem alterações",
    "seu código aqui",
    // Italian
    "resto del codice",
    "come prima",
    "codice esistente",
    "invariato",
    // Polish, Turkish
    "reszta kodu",
    "bez zmian",
    "jak poprzednio",
    "kodun geri kalanı",
    "önceki gibi",
    "aynı kalacak",
    // Russian, Ukrainian
    "остальной код",
    "остальная часть",
    "как раньше",
    "как прежде",
    "без изменений",
    "существующий код",
    "решта коду",
    "без змін",
    // Chinese
    "其余代码",
    "其他代码",
    "剩余代码",
    "其余部分",
    "其余不变",
    "保持不变",
    "保持原样",
    "与之前相同",
    "与之前一样",
    "和之前一样",
    "同之前",
    "此处省略",
    "省略其",
    "代码省略",
    "现有代码",
    "原有代码",
    "其餘程式碼",
    "保持不變",
    // Japanese
    "残りのコード",
    "以下同じ",
    "以下同様",
    "以下省略",
    "以前と同じ",
    "前と同じ",
    "既存のコード",
    "変更なし",
    "そのまま",
    "省略します",
    "ここに実装",
    // Korean
    "나머지 코드",
    "이전과 동일",
    "기존 코드",
    "변경 없음",
    "생략",
];

/// What a comment that begins with dots says when it leaves something out.
const AFTER_DOTS: &[&str] = &[
    "rest",
    "other",
    "more",
    "remaining",
    "existing",
    "previous",
    "same",
    "similar",
    "etc",
    "and so on",
    "additional",
    "weitere",
    "übrige",
    "autres",
    "otros",
    "resto",
    "outros",
    "altri",
    "其他",
    "其余",
    "その他",
    "残り",
    "другие",
    "기타",
    "나머지",
];

/// Whether the text of a comment, marks included, says that code was left out.
fn elides(comment: &str) -> bool {
    let lower = comment.to_lowercase();
    let marks = |c: char| matches!(c, '/' | '*' | '<' | '>' | '!' | '-' | '{' | '}') || c.is_whitespace();
    let said = lower.trim_matches(marks);
    let after = said.trim_start_matches(['.', '…']);
    let dots = said.len() - after.len() >= 3;
    // Nothing but dots, or dots and one of the words.
    let only_dots = dots && after.trim().is_empty();
    only_dots
        || PHRASES.iter().any(|phrase| said.contains(phrase))
        || (dots && AFTER_DOTS.iter().any(|word| after.contains(word)))
        || (said.ends_with("...") || said.ends_with('…')) && AFTER_DOTS.iter().any(|word| said.starts_with(word))
}

/// Findings for the comments at `comments`, byte ranges of `source`.
pub(crate) fn elided(source: &str, comments: &[(u32, u32)]) -> Vec<Finding> {
    let said = |&(start, end): &(u32, u32)| source.get(start as usize..end as usize).filter(|text| elides(text));
    comments.iter().filter_map(|at| said(at).map(|text| finding(text, *at))).collect()
}

fn finding(comment: &str, at: (u32, u32)) -> Finding {
    let mut shown: String = comment.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
    if shown.len() < comment.trim().len() && shown.chars().count() == 60 {
        shown.push('…');
    }
    let message = format!("The comment “{shown}” stands where code was left out");
    Finding::new("elided-code", Severity::Warning, Phase::Syntax, message, at)
        .help("Write the whole module: nothing is kept from an earlier answer")
}

/// How comments of a document open and close.
const MARKS: [(&str, &str); 3] = [("<!--", "-->"), ("/*", "*/"), ("//", "\n")];

/// The same for a document: comments of HTML, and those of its scripts and styles.
pub(crate) fn elided_document(source: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Where each kind of comment begins next. A kind that does not come again is not looked for again.
    let mut next = MARKS.map(|(open, _)| begin(source, open, 0));
    let mut from = 0;
    loop {
        for (at, (open, _)) in next.iter_mut().zip(MARKS) {
            if at.is_some_and(|at| at < from) {
                *at = begin(source, open, from);
            }
        }
        let nearest = (0..MARKS.len()).filter_map(|kind| Some((next[kind]?, MARKS[kind]))).min_by_key(|(at, _)| *at);
        let Some((start, (open, close))) = nearest else { return findings };
        let body = start + open.len();
        let end = source[body..].find(close).map_or(source.len(), |end| body + end + close.len());
        let comment = source[start..end].trim_end();
        if elides(comment) {
            findings.push(finding(comment, (start as u32, (start + comment.len()) as u32)));
        }
        from = end;
    }
}

/// The next comment of a kind. The slashes of an address begin none.
fn begin(source: &str, open: &str, mut from: usize) -> Option<usize> {
    loop {
        let found = from + source.get(from..)?.find(open)?;
        if open != "//" || found == 0 || source.as_bytes()[found - 1] != b':' {
            return Some(found);
        }
        from = found + open.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_found_in_many_languages_and_plain_comments_are_not() {
        for comment in [
            "// ...",
            "/* … */",
            "// ... rest of the code",
            "// Same as before",
            "/* ... existing imports ... */",
            "// other handlers...",
            "// TODO: implement saving",
            "// … restlicher Code wie zuvor",
            "// le reste du code est inchangé",
            "// resto del código igual que antes",
            "// restante do código sem alterações",
            "// остальной код без изменений",
            "// 其余代码保持不变",
            "// 残りのコードは以前と同じ",
            "// 나머지 코드는 이전과 동일",
        ] {
            assert!(elides(comment), "{comment}");
        }
        for comment in [
            "// The rest of the day",
            "// Rows are sorted by date",
            "/* Header */",
            "// 1. fetch 2. show",
            "// ... unless it is empty",
            "// Mehr Kaffee",
            "// 计算总价",
        ] {
            assert!(!elides(comment), "{comment}");
        }
    }

    #[test]
    fn documents_have_three_kinds_of_comments() {
        let page = "<!-- header unchanged: same as before -->\n<a href=\"https://x.org/a\">x</a>\n<style>/* ... */</style>\n<script>// rest of the code\n</script>";
        let at: Vec<u32> = elided_document(page).iter().map(|finding| finding.at.0).collect();
        assert_eq!(at.len(), 3, "{at:?}");
    }
}
