import { generateMiddleware } from 'genkit'

/** Gives thrown errors of tools to the model. Without such middleware, Genkit ends the run. */
export const toolErrors = generateMiddleware({ name: 'toolErrors' }, () => ({
  tool: async (request, context, next) => {
    try {
      return await next(request, context)
    } catch (error) {
      if ((Object(error) as { name?: unknown }).name === 'ToolInterruptError') throw error
      const { name, ref } = request.toolRequest
      return { toolResponse: { name, ref, output: { error: messageOf(error) } } }
    }
  },
}))

function messageOf(error: unknown): string {
  if (error instanceof Error) return `${error.name}: ${error.message}`
  if (typeof error !== 'object' || error === null) return String(error)
  // Genkit adds its own id to thrown errors.
  const { traceId: _traceId, ...others } = error as Record<string, unknown>
  return JSON.stringify(others)
}
