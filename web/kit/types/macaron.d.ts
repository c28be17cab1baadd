/** `$macaron/ui`: the older dialect has motion's parts beside the components. */
export * from "$ui4a/ui";
export { AnimatePresence, motion } from "$ui4a/ui/motion";
