// Types of `pack.mjs` for its test.
interface Published {
  folder: string;
  manifest: { name: string; engines: { node: string }; bin?: Record<string, string> };
}

export function listPublished(): Published[];
export function pack(folder: string, destination: string): string;
