//! Names of packages that interfaces commonly import: where a "did you mean" comes from. Never installed by guess.

/// Well-known package names, for nearest-name hints alone.
pub(crate) const PACKAGES: &[&str] = &[
    "react", "react-dom", "recharts", "chart.js", "react-chartjs-2", "d3", "d3-array", "d3-scale", "d3-shape",
    "plotly.js-dist-min", "react-plotly.js", "echarts", "echarts-for-react", "apexcharts", "react-apexcharts", "victory",
    "@nivo/bar", "@nivo/line", "@visx/shape", "@observablehq/plot", "three", "@react-three/fiber", "@react-three/drei",
    "@react-three/rapier", "p5", "pixi.js", "matter-js", "cannon-es", "konva", "react-konva", "fabric", "canvas-confetti",
    "react-confetti", "leaflet", "react-leaflet", "maplibre-gl", "ol", "topojson-client", "@xyflow/react", "cytoscape",
    "dagre", "elkjs", "vis-network", "sigma", "framer-motion", "motion", "gsap", "animejs", "@react-spring/web",
    "lottie-react", "lucide-react", "class-variance-authority", "clsx", "tailwind-merge", "cmdk", "vaul", "sonner",
    "embla-carousel-react", "react-day-picker", "input-otp", "@headlessui/react", "@heroicons/react", "react-icons",
    "@mui/material", "@mui/icons-material", "@emotion/react", "@emotion/styled", "styled-components", "antd",
    "@chakra-ui/react", "react-bootstrap", "bootstrap", "@mantine/core", "zustand", "jotai", "valtio", "immer", "redux",
    "@reduxjs/toolkit", "react-redux", "@tanstack/react-query", "@tanstack/react-table", "swr", "axios", "zod", "yup",
    "react-hook-form", "formik", "react-router-dom", "react-router", "uuid", "nanoid", "date-fns", "dayjs", "moment",
    "luxon", "lodash", "lodash-es", "ramda", "mathjs", "big.js", "numeral", "fuse.js", "papaparse", "xlsx", "marked",
    "react-markdown", "remark-gfm", "remark-math", "rehype-katex", "katex", "dompurify", "highlight.js", "prismjs",
    "react-syntax-highlighter", "mermaid", "qrcode.react", "@monaco-editor/react", "codemirror", "@tiptap/react", "quill",
    "slate", "lexical", "tone", "howler", "wavesurfer.js", "hls.js", "swiper", "jspdf", "html2canvas", "html-to-image",
    "jszip", "file-saver", "react-dropzone", "@dnd-kit/core", "@dnd-kit/sortable", "react-grid-layout", "react-window",
    "preact", "htm", "vue", "svelte", "lit", "alpinejs", "jquery", "htmx.org", "rxjs", "@tensorflow/tfjs", "sql.js",
    "simple-statistics", "@radix-ui/react-dialog", "@radix-ui/react-select", "@radix-ui/react-tabs", "@radix-ui/react-slot",
    "@radix-ui/react-tooltip", "@radix-ui/react-popover", "@radix-ui/react-dropdown-menu", "radix-ui",
];

/// At most `count` of `known` that a slip of the pen away from `name`, nearest first.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, count: usize) -> Vec<String> {
    let lower = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            let mut score = strsim::jaro_winkler(&lower, &other);
            if other.contains(&lower) || lower.contains(&other) {
                score += 0.1;
            }
            (score >= 0.84).then_some((score, candidate))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(count).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_their_name_and_inventions_find_none() {
        assert_eq!(nearest("recharst", PACKAGES.iter().copied(), 1), ["recharts"]);
        assert_eq!(nearest("lucide-reat", PACKAGES.iter().copied(), 1), ["lucide-react"]);
        assert!(nearest("quux-blorb-zzz", PACKAGES.iter().copied(), 3).is_empty());
    }
}
