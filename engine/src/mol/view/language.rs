//! The language of a conversation, as far as the few words of a context block need it.
//!
//! By script where a script has one main language, else by the commonest words. A wrong guess costs three odd words.

/// The words of a context block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labels {
    /// Over it.
    pub earlier: &'static str,
    /// Before a person's words.
    pub user: &'static str,
    /// Before an answer.
    pub answer: &'static str,
    /// Before what is said now.
    pub now: &'static str,
    /// Before the title of an interface that was shown.
    pub shown: &'static str,
    /// Before the names of tools that were used.
    pub used: &'static str,
}

const fn labels(
    earlier: &'static str,
    user: &'static str,
    answer: &'static str,
    now: &'static str,
    shown: &'static str,
    used: &'static str,
) -> Labels {
    Labels { earlier, user, answer, now, shown, used }
}

const ENGLISH: Labels =
    labels("Earlier in this conversation", "Asked", "Answered", "Now", "an interface was shown:", "tools used:");

/// Scripts, by the characters that only they have; the first that is found decides.
const SCRIPTS: [(&[std::ops::RangeInclusive<char>], Labels); 9] = [
    (
        &['\u{3040}'..='\u{30ff}'],
        labels("この会話のこれまで", "質問", "回答", "今回", "表示した画面:", "使ったツール:"),
    ),
    (&['\u{ac00}'..='\u{d7af}'], labels("이 대화의 앞부분", "질문", "답변", "이번", "보여 준 화면:", "사용한 도구:")),
    (
        &['\u{4e00}'..='\u{9fff}'],
        labels("本次对话之前的内容", "提问", "回答", "现在", "已显示的界面：", "使用的工具："),
    ),
    (
        &['\u{0400}'..='\u{04ff}'],
        labels("Ранее в этом разговоре", "Вопрос", "Ответ", "Сейчас", "показан интерфейс:", "инструменты:"),
    ),
    (
        &['\u{0600}'..='\u{06ff}'],
        labels("سابقًا في هذه المحادثة", "السؤال", "الإجابة", "الآن", "عُرضت واجهة:", "الأدوات المستخدمة:"),
    ),
    (
        &['\u{0900}'..='\u{097f}'],
        labels("इस बातचीत में पहले", "प्रश्न", "उत्तर", "अब", "दिखाया गया इंटरफ़ेस:", "उपयोग किए गए टूल:"),
    ),
    (
        &['\u{0370}'..='\u{03ff}'],
        labels("Νωρίτερα σε αυτή τη συνομιλία", "Ερώτηση", "Απάντηση", "Τώρα", "εμφανίστηκε:", "εργαλεία:"),
    ),
    (&['\u{0590}'..='\u{05ff}'], labels("מוקדם יותר בשיחה", "שאלה", "תשובה", "עכשיו", "הוצג ממשק:", "כלים:")),
    (&['\u{0e00}'..='\u{0e7f}'], labels("ก่อนหน้านี้ในการสนทนา", "คำถาม", "คำตอบ", "ตอนนี้", "แสดงหน้าจอ:", "เครื่องมือ:")),
];

/// Languages in Latin letters, by words that the others lack.
const WORDS: [(&str, Labels); 8] = [
    (" the and is of to what how for with please this ", ENGLISH),
    (
        " der die das und ist nicht ein eine wie mit für bitte ich mir ",
        labels("Bisher in diesem Gespräch", "Frage", "Antwort", "Jetzt", "gezeigt wurde:", "benutzte Werkzeuge:"),
    ),
    (
        " le les des est une pour avec moi je dans comment et ",
        labels(
            "Plus tôt dans cette conversation",
            "Demande",
            "Réponse",
            "Maintenant",
            "interface affichée :",
            "outils :",
        ),
    ),
    (
        " el los las una para con por cómo qué en mi y ",
        labels("Antes en esta conversación", "Pregunta", "Respuesta", "Ahora", "interfaz mostrada:", "herramientas:"),
    ),
    (
        " o os uma para com não em meu minha um como e ",
        labels("Antes nesta conversa", "Pergunta", "Resposta", "Agora", "interface mostrada:", "ferramentas:"),
    ),
    (
        " il gli una per con non come che di mio sono ",
        labels(
            "In precedenza nella conversazione",
            "Domanda",
            "Risposta",
            "Ora",
            "interfaccia mostrata:",
            "strumenti:",
        ),
    ),
    (
        " het een van voor met niet hoe mijn ik en de ",
        labels("Eerder in dit gesprek", "Vraag", "Antwoord", "Nu", "getoond:", "gebruikte hulpmiddelen:"),
    ),
    (
        " nie jest się jak na z mi dla proszę w ",
        labels("Wcześniej w tej rozmowie", "Pytanie", "Odpowiedź", "Teraz", "pokazano interfejs:", "narzędzia:"),
    ),
];

/// The words of a context block for people who write like `text`.
pub fn of(text: &str) -> Labels {
    let sample: String = text.chars().take(2_000).collect::<String>().to_lowercase();
    let letters = sample.chars().filter(|c| c.is_alphabetic()).count();
    let in_script = |ranges: &[std::ops::RangeInclusive<char>]| {
        sample.chars().filter(|c| ranges.iter().any(|range| range.contains(c))).count()
    };
    // A name in another script among much text does not decide; Japanese mixes its own signs with Chinese ones.
    if let Some((_, labels)) = SCRIPTS.iter().find(|(ranges, _)| in_script(ranges) * 8 > letters) {
        return *labels;
    }
    let words: Vec<&str> = sample.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
    let count = |list: &str| words.iter().filter(|word| list.contains(&format!(" {word} "))).count();
    let best = WORDS
        .iter()
        .map(|(list, labels)| (count(list), labels))
        .fold((0, &ENGLISH), |best, next| if next.0 > best.0 { next } else { best });
    *best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_languages_are_told_apart() {
        for (text, word) in [
            ("What is the capital of France?", "Earlier"),
            ("Wie heißt die Hauptstadt von Frankreich? Ich weiß es nicht.", "Bisher"),
            ("Quelle est la capitale de la France ? Dis-le moi avec une carte.", "Plus"),
            ("¿Cuál es la capital de Francia? Hazme una tabla con los datos.", "Antes en esta conversación"),
            ("Qual é a capital da França? Faça uma tabela para mim, com os dados.", "Antes nesta"),
            ("フランスの首都は何ですか。", "この会話"),
            ("法国的首都是哪里？", "本次"),
            ("Какая столица Франции?", "Ранее"),
            ("프랑스의 수도는 어디인가요?", "이 대화"),
            ("", "Earlier"),
        ] {
            assert!(of(text).earlier.starts_with(word), "{text}: {}", of(text).earlier);
        }
        assert_eq!(of("Explain the name Москва to me, please: where is it from, and what is it for?"), ENGLISH);
    }
}
