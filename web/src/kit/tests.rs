//! The lists agree with the files, and the colours can be read.

use super::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Files below `web/kit` with one of these endings, by their path in it.
fn on_disk(endings: &[&str]) -> BTreeSet<String> {
    fn walk(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("the kit's folder can be read") {
            let entry = entry.expect("an entry");
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                walk(&entry.path(), &format!("{path}/"), found);
            } else {
                found.insert(path);
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("kit"), "", &mut found);
    // Declarations are of the sources, not sources.
    found.retain(|path| !path.starts_with("types/") && endings.iter().any(|ending| path.ends_with(ending)));
    found
}

#[test]
fn every_source_of_the_folder_is_embedded() {
    let embedded: BTreeSet<String> = files().into_keys().map(str::to_owned).collect();
    assert_eq!(embedded, on_disk(&[".ts", ".tsx"]));
    assert_eq!(files::STYLES.len(), on_disk(&[".css"]).len());
}

#[test]
fn relative_imports_lead_to_compiled_files() {
    let compiled: BTreeSet<String> = files().into_keys().map(compiled_path).collect();
    for (path, text) in files() {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for from in
            text.split("from \"").chain(text.split("import(\"")).skip(1).filter_map(|rest| rest.split('"').next())
        {
            let target = match (from.strip_prefix("../"), from.strip_prefix("./"), folder) {
                (Some(rest), _, _) => rest.to_owned(),
                (_, Some(rest), "") => rest.to_owned(),
                (_, Some(rest), folder) => format!("{folder}/{rest}"),
                _ => continue,
            };
            assert!(compiled.contains(&target), "{path} imports {from}");
        }
    }
}

#[test]
fn packages_that_are_imported_are_pinned_and_no_others() {
    let mut imported = BTreeSet::new();
    for (_, text) in files() {
        for from in text.split("from \"").skip(1).filter_map(|rest| rest.split('"').next()) {
            if !from.starts_with(['.', '$']) {
                let parts = if from.starts_with('@') { 2 } else { 1 };
                imported.insert(from.split('/').take(parts).collect::<Vec<_>>().join("/"));
            }
        }
    }
    // A peer of recharts, and the package behind the automatic JSX of every file.
    imported.extend(["react-is".to_owned(), "react".to_owned()]);
    imported.insert("react-markdown".to_owned());
    assert_eq!(imported, dependencies().into_keys().collect());
}

#[test]
fn every_export_form_in_the_sources_is_understood() {
    for (path, text) in files() {
        for statement in exports::statements(text) {
            assert_ne!(exports::read(statement), exports::Export::Unknown, "{path}: export {statement}");
        }
    }
}

#[test]
fn the_manifest_has_what_the_contracts_promise() {
    let manifest = manifest();
    let has = |specifier: &str, names: &str| {
        let exported = manifest.get(specifier).expect("an entry");
        let missing: Vec<&str> =
            names.split_whitespace().filter(|name| !exported.iter().any(|own| own == name)).collect();
        assert!(missing.is_empty(), "{specifier} lacks {missing:?}");
    };
    has(
        "$ui4a/ui",
        "Stack Row Grid Separator Text Heading Card CardHeader CardTitle CardDescription CardContent CardFooter Stat StatGrid \
         Button Badge Avatar AvatarImage AvatarFallback Input Textarea Label Field Checkbox Switch RadioGroup RadioGroupItem \
         Slider Select SelectTrigger SelectValue SelectContent SelectItem SelectGroup SelectLabel SelectSeparator Tabs TabsList \
         TabsTrigger TabsContent Accordion AccordionItem AccordionTrigger AccordionContent Disclosure DisclosureTrigger \
         DisclosureContent Dialog DialogTrigger DialogContent DialogHeader DialogTitle DialogDescription DialogFooter DialogClose \
         Sheet Popover Tooltip DropdownMenu Table TableHeader TableBody TableFooter TableRow TableHead TableCell TableCaption \
         DataTable Timeline Progress Skeleton Spinner Alert AlertTitle AlertDescription toast Toaster Code Markdown \
         Combobox DatePicker Calendar FileUpload Carousel CarouselContent CarouselItem Sortable SortableItem NumberFlow cn",
    );
    has(
        "$ui4a/ui/charts",
        "ChartContainer ChartTooltip ChartTooltipContent ChartLegend ChartLegendContent AreaChart BarChart LineChart PieChart \
         RadarChart RadialBarChart ComposedChart ScatterChart Sparkline ResponsiveContainer XAxis YAxis CartesianGrid Line Bar \
         Area Pie Cell Tooltip Legend ReferenceLine",
    );
    has("$ui4a/ui/katex", "LaTeX MathBlock");
    has("$ui4a/ui/motion", "motion AnimatePresence");
    has("$ui4a/chat", "sendMessage sendAction useAutoSend callTool");
    for names in manifest.values() {
        assert!(names.is_sorted() && !names.iter().any(|name| name == "default"));
    }
}

/// The values that a file of declarations exports, sorted.
fn declared(text: &str) -> Vec<String> {
    let mut names = BTreeSet::new();
    for statement in exports::statements(text) {
        let statement = statement.trim_start_matches("declare ");
        match exports::read(statement) {
            exports::Export::Names(found) => names.extend(found),
            exports::Export::Type => {}
            other => panic!("export {statement}: {other:?}"),
        }
    }
    names.into_iter().collect()
}

#[test]
fn the_types_declare_what_the_manifest_names_and_nothing_else() {
    let types = types();
    for (specifier, names) in manifest() {
        let text = types.get(specifier.as_str()).expect("declarations of each specifier");
        assert_eq!(declared(text), names, "{specifier}");
    }
    assert_eq!(types.len(), manifest().len() + 1, "and those of the older dialect");
    assert!(types["$macaron/ui"].contains("export * from \"$ui4a/ui\""));
}

/// What a component is told is named: no declaration leaves its props open without saying so, and none needs the packages
/// that the components are made with.
#[test]
fn the_types_stand_alone() {
    for (specifier, text) in types() {
        assert!(!text.contains("Loose") && !text.contains("import("), "{specifier}");
        for from in text.split("from \"").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(
                matches!(from, "react" | "recharts" | "motion/react") || from.starts_with("$ui4a/"),
                "{specifier}: {from}"
            );
        }
    }
}

/// The older dialect's names, of which existing transcripts may use any.
#[test]
fn the_older_dialect_has_all_its_names() {
    let exported = exports::of("macaron.ts");
    let names = "Stack Row Grid TwoColumnGrid StatGrid PillRow Separator Surface Text TextLoop TextMorph TextShimmer SpinningText \
        Card CardHeader CardTitle CardDescription CardContent CardFooter FeatureCard Stat Button ToolbarDynamic Badge Avatar \
        AvatarImage AvatarFallback AvatarBadge AvatarGroup AvatarGroupCount Input Textarea Label Field Checkbox Switch RadioGroup \
        RadioGroupItem Slider TickSlider SelectionGrid InputOTP InputOTPGroup InputOTPSlot InputOTPSeparator REGEXP_ONLY_CHARS \
        REGEXP_ONLY_DIGITS REGEXP_ONLY_DIGITS_AND_CHARS FileUpload Calendar CalendarDayButton Select SelectTrigger SelectValue \
        SelectContent SelectItem SelectGroup SelectLabel SelectSeparator Accordion AccordionItem AccordionTrigger \
        AccordionContent Disclosure DisclosureTrigger DisclosureContent Tabs TabsList TabsTrigger TabsContent Popover \
        PopoverTrigger PopoverContent PopoverAnchor PopoverHeader PopoverTitle PopoverDescription MorphingDialog \
        MorphingDialogTrigger MorphingDialogContainer MorphingDialogContent MorphingDialogTitle MorphingDialogSubtitle \
        MorphingDialogDescription MorphingDialogImage MorphingDialogClose Table TableHeader TableBody TableFooter TableRow \
        TableHead TableCell TableCaption Timeline TimelineItem TimelineHeader TimelineTitle TimelineDate TimelineIndicator \
        TimelineSeparator TimelineContent NumberFlow numberFlowContinuous Carousel CarouselContent CarouselItem CarouselNext \
        CarouselPrevious Sortable SortableItem SortableItemHandle SortableOverlay AnimatePresence motion GlowEffect \
        ProgressiveBlur Tilt";
    let missing: Vec<&str> = names.split_whitespace().filter(|name| !exported.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn aliases_and_entries_fit_together() {
    for (alias, subpath) in aliases() {
        assert!(entries().contains_key(&subpath), "{alias} → {subpath}");
    }
    for file in entries().values() {
        assert!(files().into_keys().any(|source| compiled_path(source) == *file), "{file}");
    }
}

#[test]
fn every_summary_is_of_an_export() {
    let names: BTreeSet<String> = manifest().into_values().flatten().collect();
    for (name, props) in summaries() {
        assert!(names.contains(*name), "{name}");
        assert!(!props.is_empty() && !props.contains('\n'));
    }
}

/// The custom properties of the rule that starts with `selector`.
fn properties(selector: &str) -> BTreeMap<String, String> {
    let css = tokens_css();
    let start = css.find(selector).expect("the rule");
    let body = css[start..].split_once('{').and_then(|(_, rest)| rest.split_once('}')).expect("its braces").0;
    let pairs = body.split(';').filter_map(|line| line.trim().strip_prefix("--")?.split_once(':'));
    pairs.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).collect()
}

/// Relative luminance of `#rrggbb` (WCAG 2, 1.4.3).
fn luminance(color: &str) -> f64 {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).expect("hex")) / 255.0;
        if value <= 0.039_28 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn text_can_be_read_on_every_surface_in_both_themes() {
    for theme in [":root {", ":root[data-theme=\"dark\"]"] {
        let color = properties(theme);
        for text in ["fg", "muted", "accent", "danger", "success", "warn"] {
            for surface in ["surface", "surface-2", "surface-3", "card", "popover"] {
                let ratio = contrast(&color[text], &color[surface]);
                assert!(ratio >= 4.5, "{theme} --{text} on --{surface}: {ratio:.2}");
            }
        }
        for filled in ["accent", "danger", "success", "warn"] {
            let ratio = contrast(&color[filled], &color[&format!("{filled}-fg")]);
            assert!(ratio >= 4.5, "{theme} text on --{filled}: {ratio:.2}");
        }
        for at in 1..=6 {
            let ratio = contrast(&color[&format!("series-{at}")], &color["card"]);
            assert!(ratio >= 3.0, "{theme} --series-{at}: {ratio:.2}");
        }
        assert!(contrast(&color["track"], &color["card"]) >= 3.0, "{theme} a switch that is off");
    }
}
