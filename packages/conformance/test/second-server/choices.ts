/** What a deployment may do in several ways, where each way keeps the contract. */
export interface Choices {
  /** Where storage requests have their fields. */
  requestForm: 'top' | 'data';
  /** Whether storage answers stand in the envelope. `flat` has to be declared to the suite. */
  envelope: 'wrapped' | 'flat';
  /**
   * How the storage API and the upload target refuse: by a status of 4xx, by status 200 with a `code`
   * or an `Error` element, or some refusals by the one and some by the other.
   */
  failures: 'status' | 'ok' | 'some';
  /** Whose `fileID` the entry of a copy has that succeeded. */
  copyFileId: 'absent' | 'source' | 'destination';
  /**
   * Whether rules of level SHOULD are kept: `body.requestId` and `body.message` are there, and unknown
   * request fields are ignored. Dropped, those two are absent, and unknown fields are refused.
   */
  should: 'kept' | 'dropped';
  /** Whether gateway calls may have a body of `multipart/form-data`, beside `application/json`. */
  forms: 'taken' | 'refused';
}

/** What is as far from the reference server as the contract allows. */
export const farthest: Choices = {
  requestForm: 'data',
  envelope: 'wrapped',
  failures: 'some',
  copyFileId: 'absent',
  should: 'dropped',
  forms: 'taken',
};
