/** One thing that is wrong with a configuration. */
export interface ConfigFault {
  /** Setting, from the top: `['environments', 'dev', 'bucket']`. */
  readonly path: readonly (string | number)[];
  /** What is wrong and how to mend it, as the end of a sentence that begins with the setting. */
  readonly problem: string;
  /** `file:line:column`; undefined where the configuration came from no file. */
  readonly place?: string | undefined;
}

/** A configuration that cannot be used. Its message has one line for each fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(toLine).join('\n'));
    this.faults = faults;
  }
}

function toLine({ path, problem, place }: ConfigFault): string {
  const setting = toName(path);
  return `${place === undefined ? '' : `${place}: `}${setting}${setting && ' '}${problem}.`;
}

/** `environments.dev.credentials[0].id` */
function toName(path: readonly (string | number)[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}
