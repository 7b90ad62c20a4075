import type { ContextOffloader } from '../offload/context-offloader.ts'
import { findReferences, ReferenceArgumentError, type ReferenceCall } from '../session/reference-arguments.ts'

type Resolver = Pick<ContextOffloader, 'options' | 'resolveReferences'>

/** Whether arguments of a tool may be references. */
export const takesReferences = ({ options }: Pick<ContextOffloader, 'options'>, toolName: string): boolean =>
  Object.hasOwn(options.resolveReferences?.tools ?? {}, toolName)

/** Whether arguments contain references. Frameworks must not validate such arguments before {@link callResolved}. */
export const hasReferences = ({ options }: Pick<ContextOffloader, 'options'>, call: ReferenceCall): boolean =>
  findReferences(options.resolveReferences, call).length > 0

/**
 * Call a tool after content has replaced the references in its arguments. Without references, the call is synchronous.
 *
 * If a reference cannot be resolved, the tool is not called, and the call rejects with the error for the model.
 *
 * @param run - Calls the tool.
 * @param check - Validates arguments with the tool's schema, for a framework that does this before it calls tools.
 */
export function callResolved<Input, Result>(
  offloader: Resolver,
  call: ReferenceCall<Input>,
  run: (input: Input) => Result,
  check: (input: Input) => Input | Promise<Input> = (input) => input,
): Result | Promise<Awaited<Result>> {
  if (!hasReferences(offloader, call)) return run(call.input)
  return (async (): Promise<Awaited<Result>> => {
    const { resolved } = await offloader.resolveReferences(call)
    return await run(await check(resolved))
  })()
}

/**
 * Resolve the references in the arguments of a call, for a framework in which a thrown error would end the run.
 *
 * @returns The arguments, or the error for the model.
 */
export async function resolvedInput<Input>(
  offloader: Resolver,
  call: ReferenceCall<Input>,
): Promise<{ readonly input: Input; readonly error?: string }> {
  if (!hasReferences(offloader, call)) return { input: call.input }
  try {
    return { input: (await offloader.resolveReferences(call)).resolved }
  } catch (error) {
    if (error instanceof ReferenceArgumentError) return { input: call.input, error: error.message }
    throw error
  }
}

/**
 * Check that an offloader does not resolve references, for an adapter that does not call tools.
 *
 * @throws TypeError if `resolveReferences` is set.
 */
export function assertNoReferences({ options }: Pick<ContextOffloader, 'options'>, usage: string): void {
  if (options.resolveReferences !== undefined)
    throw new TypeError(
      `${usage} cannot resolve references, because it does not call tools: leave out resolveReferences, or use offloadTools.`,
    )
}
