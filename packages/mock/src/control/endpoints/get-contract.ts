import type { Endpoint } from '../endpoint.ts';

/** The contract as far as the inspector shows it. */
export const getContract: Endpoint = {
  method: 'GET',
  path: 'contract',
  async answer({ context }) {
    const { describeContract } = await import('../describe-contract.ts');
    return describeContract(context.contract.documents);
  },
};
