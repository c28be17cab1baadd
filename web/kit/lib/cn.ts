/** Joins class names; a later Tailwind class replaces an earlier one that sets the same property. */
import { clsx } from "clsx";
import { twMerge } from "tailwind-merge";

/** A class name, a list of them, or a record of name → whether it is there. */
export type ClassValue =
  string | number | bigint | boolean | null | undefined | Record<string, unknown> | readonly ClassValue[];

/** Joins class names; of two Tailwind classes for the same property the later one counts. */
export function cn(...inputs: ClassValue[]): string {
  return twMerge(clsx(inputs as Parameters<typeof clsx>));
}
