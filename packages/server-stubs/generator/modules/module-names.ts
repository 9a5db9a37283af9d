/** Where generated modules import from. */
export interface ModuleNames {
  /** Specifier of the runtime. */
  readonly runtime: string;
  /** Specifier of another generated module of the same folder. */
  sibling(name: string): string;
}
