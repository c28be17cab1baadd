/** `$ui4a/ui`: everything but the charts, maths and motion, which have entries of their own. */
export { cn } from "./lib/cn.js";
export * from "./layout.js";
export * from "./text.js";
export {
  Card,
  CardAction,
  CardContent,
  CardDescription,
  CardFooter,
  CardHeader,
  CardTitle,
  FeatureCard,
} from "./card.js";
export { Stat, StatGrid } from "./stat.js";
export { Button, ButtonGroup, buttonVariants } from "./button.js";
export { Badge, badgeVariants } from "./badge.js";
export * from "./avatar.js";
export { Field, Label } from "./field.js";
export { Input, Textarea } from "./input.js";
export { Checkbox, Switch } from "./switch.js";
export { RadioGroup, RadioGroupItem, SelectionGrid } from "./radio.js";
export * from "./select.js";
export { Slider, TickSlider } from "./slider.js";
export { Tabs, TabsContent, TabsList, TabsTrigger } from "./tabs.js";
export { Table, TableBody, TableCaption, TableCell, TableFooter, TableHead, TableHeader, TableRow } from "./table.js";
export { DataTable } from "./data-table.js";
export { Progress, Skeleton, Spinner } from "./progress.js";
export { Alert, AlertDescription, AlertTitle } from "./alert.js";
export {
  AlertDialog,
  AlertDialogAction,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogHeader,
  AlertDialogTitle,
  AlertDialogTrigger,
  Dialog,
  DialogClose,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogOverlay,
  DialogPortal,
  DialogTitle,
  DialogTrigger,
} from "./dialog.js";
export * from "./sheet.js";
export * from "./disclosure.js";
export * from "./tooltip.js";
export * from "./popover.js";
export * from "./dropdown-menu.js";
export { Toaster, toast, useToast } from "./toast.js";
export { Markdown } from "./markdown.js";
export * from "./timeline.js";
export { Calendar, CalendarDayButton, DatePicker } from "./calendar.js";
export { Combobox } from "./combobox.js";
export { FileUpload } from "./file-upload.js";
export * from "./carousel.js";
export * from "./sortable.js";
export * from "./input-otp.js";
export { NumberFlow, numberFlowContinuous } from "./number-flow.js";
export * from "./effects.js";
export * from "./morphing-dialog.js";
