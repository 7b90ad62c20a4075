import { warn, type CountTokens, estimateTokens } from '@spillway/text/internal'

const SAMPLE = `2026-03-14T09:26:53.589Z INFO  [checkout-7f9c] POST /orders/48213 201 in 412 ms (req=8c1f02ab, user=3391)
2026-03-14T09:26:54.002Z ERROR [payments-2b1d] java.net.SocketTimeoutException: Read timed out after 30000 ms
	at com.example.payments.Gateway.charge(Gateway.java:218) ~[payments-4.12.1.jar:4.12.1]
{"id":"ord_48213","status":"failed","items":[{"sku":"A-1007","qty":2,"price":19.99}],"total":39.98,"paid":false}
sku,name,stock,updated_at
A-1007,"Kettle, 1.7 l",12,2026-03-14
export async function retry<T>(run: () => Promise<T>, attempts = 3): Promise<T> {
  for (let left = attempts; ; left -= 1) {
    try { return await run() } catch (error) { if (left <= 1) throw error }
  }
}
drwxr-xr-x  5 app  app   4096 Mar 14 09:12 node_modules/@scope/package-name/dist
The service could not reach its provider in time. It will try again three times, waiting longer before each attempt.
`

/** Number of tokens of the sample in o200k_base, the tokenizer that the estimate is based on. */
const SAMPLE_TOKENS = 314

/** Smallest accepted ratio. Real tokenizers are closer to o200k_base. A lower count is a guess from characters. */
const MIN_RATIO = 0.8
const MAX_RATIO = 3

/**
 * Make a synchronous counter for `countTokens` from an asynchronous one, such as a request to the provider.
 *
 * The counter counts one sample, and the estimate is scaled by the result. A counter is ignored if it fails, or if it
 * guesses from characters.
 */
export async function countAsModel(count: (text: string) => number | Promise<number>): Promise<CountTokens> {
  const ratio = (await answerOf(count)) / SAMPLE_TOKENS
  if (!(ratio >= MIN_RATIO && ratio <= MAX_RATIO)) return estimateTokens
  return (text) => Math.ceil(estimateTokens(text) * ratio)
}

async function answerOf(count: (text: string) => number | Promise<number>): Promise<number> {
  try {
    return await count(SAMPLE)
  } catch (error) {
    // Any error is caught, because no agent should fail if its tokens cannot be counted.
    warn('The tokens of the model could not be counted, so they are estimated.', error)
    return Number.NaN
  }
}
