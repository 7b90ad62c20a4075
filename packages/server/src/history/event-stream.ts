import type { HistoryProgress } from '@spillway/history'
import type { RouteContext } from '../routes/route.ts'

/** Between two events, a comment says so often that the connection is alive. */
const KEEP_ALIVE_MS = 10_000

/**
 * Answer with server-sent events while something runs: `progress` for each step, then `result`, or `error` with the failure
 * that the request would have been answered with.
 */
export function eventStream(
  { call, describeFailure }: Pick<RouteContext, 'call' | 'describeFailure'>,
  run: (onProgress: (progress: HistoryProgress) => void) => Promise<unknown>,
): { readonly response: Response; readonly done: Promise<void> } {
  const { promise: done, resolve: finish } = Promise.withResolvers<void>()
  const encoder = new TextEncoder()
  let isOpen = true
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (text: string): void => {
        if (!isOpen) return
        const bytes = encoder.encode(text)
        call.bytesOut += bytes.length
        controller.enqueue(bytes)
      }
      const event = (name: string, data: unknown): void => send(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
      const timer = setInterval(() => send(': still at it\n\n'), KEEP_ALIVE_MS)
      try {
        event('result', await run((progress) => event('progress', progress)))
      } catch (error) {
        // The status has been sent: what happened stands in the last event.
        const { code, message, retryable } = describeFailure(error)
        call.code = code
        event('error', { error: { code, message, retryable } })
      } finally {
        clearInterval(timer)
        if (isOpen) controller.close()
        isOpen = false
        finish()
      }
    },
    cancel() {
      isOpen = false
    },
  })
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
  return { response: new Response(body, { headers }), done }
}
