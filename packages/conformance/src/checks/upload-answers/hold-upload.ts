import { Readable } from 'node:stream';

/** A form on its way that stops in the middle. */
export interface HeldForm {
  /** For the upload tool. */
  trickle: (form: Buffer) => Readable;
  /** Settled when the first part has been handed to the network. */
  isUnderWay: Promise<void>;
  /** Sends the rest. */
  release(): void;
  /** Breaks the connection off. */
  cut(): void;
}

/**
 * Makes a form stop on its way.
 *
 * @param toEnd where it stops: how many bytes go at first, of the whole number
 */
export function holdForm(toEnd: (size: number) => number): HeldForm {
  let start!: () => void;
  const isUnderWay = new Promise<void>((resolve) => {
    start = resolve;
  });
  let release!: () => void;
  let fail!: (reason: Error) => void;
  const goesOn = new Promise<void>((...settlers) => {
    [release, fail] = settlers;
  });
  // The form may be given up before anyone waits for its rest.
  goesOn.catch(() => {});
  return {
    trickle: (form) =>
      Readable.from(
        (async function* parts() {
          const end = toEnd(form.length);
          yield form.subarray(0, end);
          start();
          await goesOn;
          yield form.subarray(end);
        })(),
      ),
    isUnderWay,
    release,
    cut: () => fail(new Error('cut off by the check')),
  };
}
