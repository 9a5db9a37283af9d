/** The parts of Dredd 14 that the suite uses; the package ships no types. */
declare module 'dredd' {
  interface Header {
    name: string;
    value: string;
  }

  interface Description {
    annotations: { message: string }[];
    transactions: {
      origin: { apiName: string; actionName: string };
      request: { method: string; headers: Header[]; body: string };
      response: { status: string; headers: Header[] };
    }[];
  }

  export default class Dredd {
    constructor(configuration: object);
    prepareAPIdescriptions(
      callback: (error: Error | null, descriptions?: Description[]) => void,
    ): void;
  }
}
