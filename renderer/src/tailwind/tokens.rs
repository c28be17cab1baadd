//! Colours by role, as classes: `bg-surface-2`, `text-muted`, `border-accent/50`. Each is the custom property of its name.

/// Our own names and those of shadcn's components.
pub(super) const COLOURS: &[&str] = &[
    "surface", "surface-2", "surface-3", "border", "fg", "muted", "accent", "accent-fg", "danger", "danger-fg", "success",
    "success-fg", "warn", "warn-fg", "series-1", "series-2", "series-3", "series-4", "series-5", "series-6", "background",
    "foreground", "card", "card-foreground", "popover", "popover-foreground", "primary", "primary-foreground", "secondary",
    "secondary-foreground", "muted-foreground", "accent-foreground", "destructive", "destructive-foreground", "input", "ring",
    "track", "chart-1", "chart-2", "chart-3", "chart-4", "chart-5",
];
