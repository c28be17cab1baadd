//! The files of `web/kit`, embedded. A test compares this list with the folder.

macro_rules! embed {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../kit/", $path)))),*]
    };
}

/// Sources by path.
#[rustfmt::skip]
pub(super) const SOURCES: &[(&str, &str)] = embed![
    "alert.tsx", "avatar.tsx", "badge.tsx", "button.tsx", "calendar.tsx", "card.tsx", "carousel.tsx",
    "charts/charts.tsx", "charts/container.tsx", "charts/data.ts", "charts/index.ts", "charts/props.ts",
    "charts/series.tsx", "charts/theme.ts", "charts/tooltip.tsx", "combobox.tsx", "data-table.tsx", "dialog.tsx", "disclosure.tsx",
    "dropdown-menu.tsx", "effects.tsx", "field.tsx", "file-upload.tsx", "index.ts", "input-otp.tsx", "input.tsx",
    "katex.tsx", "layout.tsx", "lib/cn.ts", "lib/columns.tsx", "lib/events.ts", "lib/family.tsx",
    "lib/field-context.tsx", "lib/node.tsx", "lib/options.ts", "lib/props.ts", "lib/space.ts", "macaron.ts", "markdown-document.tsx",
    "markdown-view.tsx",
    "markdown.tsx", "morphing-dialog.tsx", "motion.ts", "number-flow.tsx", "popover.tsx", "progress.tsx", "radio.tsx",
    "select.tsx", "sheet.tsx", "slider.tsx", "sortable.tsx", "stat.tsx", "switch.tsx", "table.tsx", "tabs.tsx",
    "text.tsx", "timeline.tsx", "toast.tsx", "tooltip.tsx",
];

/// Style sheets in the order in which they apply.
pub(super) const STYLES: &[&str] = &[
    include_str!("../../kit/tokens.css"),
    include_str!("../../kit/base.css"),
    include_str!("../../kit/kit.css"),
    include_str!("../../kit/charts.css"),
];

/// Declarations by specifier. Those of the kit are written from the sources by `web/kit/types/generate.mjs`.
pub(super) const TYPES: &[(&str, &str)] = &[
    ("$macaron/ui", include_str!("../../kit/types/macaron.d.ts")),
    ("$ui4a/chat", include_str!("../../kit/types/chat.d.ts")),
    ("$ui4a/fs", include_str!("../../kit/types/fs.d.ts")),
    ("$ui4a/state", include_str!("../../kit/types/state.d.ts")),
    ("$ui4a/ui", include_str!("../../kit/types/index.d.ts")),
    ("$ui4a/ui/charts", include_str!("../../kit/types/charts.d.ts")),
    ("$ui4a/ui/katex", include_str!("../../kit/types/katex.d.ts")),
    ("$ui4a/ui/motion", include_str!("../../kit/types/motion.d.ts")),
];
