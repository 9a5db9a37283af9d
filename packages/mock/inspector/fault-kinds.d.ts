/** Made by the mock of its table of faults. A kind without an example has no value. */
export const FAULT_KINDS: Record<string, { label: string; example?: string }>;
