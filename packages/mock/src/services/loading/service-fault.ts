/** What is wrong with the definition of services, and where. */
export interface ServiceFault {
  /** Path as the source was given; undefined for services in code. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  /** One sentence or more: the field, what it must be, and how to mend it. */
  readonly message: string;
}

/** `services/orders.yaml:4:12: routes["GET /orders"].delay must be …` */
export function describeServiceFault({ file, line, column, message }: ServiceFault): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place}: ${message}`;
}

/** That services cannot be loaded at the start, where no version is good yet. */
export class ServicesError extends TypeError {
  override readonly name = 'ServicesError';
  readonly faults: readonly ServiceFault[];

  constructor(faults: readonly ServiceFault[]) {
    super(faults.map(describeServiceFault).join('\n'));
    this.faults = faults;
  }
}
