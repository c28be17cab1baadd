//! Classes get the rules that their writers expect.

use ui4a_renderer::tailwind::{base_css, classes, css};

fn rules(source: &str) -> String {
    css(&classes(source))
}

#[test]
fn v3_spellings_have_rules() {
    for class in [
        "rounded",
        "rounded-l",
        "rounded-r",
        "shadow",
        "shadow-inner",
        "flex-shrink-0",
        "flex-grow",
        "outline-none",
        "backdrop-blur",
        "placeholder-gray-400",
        "antialiased",
        "md:rounded",
        "hover:shadow",
        "bg-gradient-to-r",
        "break-words",
        "bg-muted",
        "text-muted-foreground",
        "bg-series-3",
        "border-border",
        "bg-accent/20",
        "space-y-4",
        "divide-y",
        "line-clamp-2",
        "tabular-nums",
        "animate-spin",
        "size-4",
        "ring-1",
        "aspect-video",
        "sr-only",
        "group-hover:opacity-100",
    ] {
        let css = rules(&format!("<p className=\"{class}\">"));
        assert!(css.contains('{'), "{class} has no rule: {css}");
    }
}

#[test]
fn dark_classes_follow_the_theme_of_the_frame() {
    insta::assert_snapshot!(rules("<p className=\"bg-white dark:bg-surface-2 dark:hover:text-red-500\">"), @r#"
    .bg-white {
      background-color: #fff;
    }

    :where([data-theme="dark"], .dark) .dark\:bg-surface-2 {
      background-color: var(--surface-2);
    }

    :where([data-theme="dark"], .dark) .dark\:hover\:text-red-500:hover {
      color: oklch(63.7% .237 25.331);
    }
    "#);
}

#[test]
fn preflight_is_there_and_utilities_are_not() {
    assert!(base_css().contains("box-sizing"));
    assert!(!rules("<p className='p-4'>").contains("box-sizing"));
}
