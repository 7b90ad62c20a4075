import * as langchain from 'langchain'

/** Whether LangChain is 1.0, the only version without the middleware that retries tools. */
export const isVersion10: boolean = !('toolRetryMiddleware' in langchain)

/** Whether LangChain has no middleware for errors of tools yet, which came early in 1.5. */
export const isBeforeVersion15: boolean = !('toolErrorMiddleware' in langchain)
