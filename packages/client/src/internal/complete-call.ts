import type { Pipeline, PipelineCall } from './pipeline/pipeline-call.ts';

/** Sends a call and reads its answer with `finish`; its limits are closed then. */
export async function completeCall<T>(
  pipeline: Pipeline,
  call: PipelineCall,
  finish: (response: Response) => T | Promise<T>,
): Promise<T> {
  const deadline = pipeline.open(call);
  try {
    return await pipeline.send(call, deadline, finish);
  } finally {
    deadline.close();
  }
}
