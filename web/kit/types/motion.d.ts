/** `$ui4a/ui/motion`: motion's parts for React. */
// Written by generate.mjs from the kit's sources.

export {
  AnimatePresence,
  LayoutGroup,
  MotionConfig,
  Reorder,
  animate,
  motion,
  stagger,
  useAnimate,
  useAnimation,
  useInView,
  useMotionTemplate,
  useMotionValue,
  useReducedMotion,
  useScroll,
  useSpring,
  useTransform,
} from "motion/react";

export {};
