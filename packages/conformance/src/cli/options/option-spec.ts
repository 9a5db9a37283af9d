/** One option: of the command line, of the environment and of the configuration file. */
export interface OptionSpec {
  /**
   * - `text`: one value
   * - `whole`: a whole number
   * - `flag`: on or off
   * - `list`: several values; on the command line repeatable
   */
  kind: 'text' | 'whole' | 'flag' | 'list';
  /** What it does, for the help and the schema of the configuration file. */
  about: string;
  /** Placeholder of the value in the help: `<url>`. */
  value?: string;
  /** All values that are allowed. */
  choices?: readonly string[];
  /** The numbers that are allowed, and their unit. */
  range?: { unit: string; least: number; most: number };
  /** The default, as the help shows it. */
  usual?: string;
  /** Values of the list are also taken apart at this, beside line breaks. */
  separator?: RegExp;
  /** It is a file that is read; in a configuration file its path begins at that file. */
  isFile?: true;
  /** A credential. */
  isSecret?: true;
  /** No setting: it cannot stand in a configuration file. */
  isCommand?: true;
}

/** Options that stand together in the help. */
export type OptionGroup = Record<string, OptionSpec>;
