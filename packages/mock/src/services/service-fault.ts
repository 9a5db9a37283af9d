/** An error in a service definition, with its location. */
export interface ServiceFault {
  /** Path as in the option; undefined for services defined in code. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  /** One or more sentences: the field, what it must be, and how to fix it. */
  readonly message: string;
}

/** Thrown if services cannot be loaded at startup, when there is no earlier valid version. */
export class ServicesError extends TypeError {
  override readonly name = 'ServicesError';
  readonly faults: readonly ServiceFault[];

  constructor(faults: readonly ServiceFault[]) {
    super(faults.map(describeServiceFault).join('\n'));
    this.faults = faults;
  }
}

/** Formats an error with its location: `services/orders.ts:4:12: …` */
export function describeServiceFault({ file, line, column, message }: ServiceFault): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place}: ${message}`;
}
