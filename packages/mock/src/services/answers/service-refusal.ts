import type { MockedAnswer } from '../services.ts';

/** An answer that a service itself gives to a call that it cannot take, in words for the developer. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** `{ "message": … }`: no error of the gateway, which has a code and a request ID. */
export function toRefusal(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): MockedAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ message }),
  };
}
