import * as langchain from 'langchain'

/** Whether the installed LangChain is a 1.0: it alone comes without the middleware that tries tools again. */
export const isVersion10: boolean = !('toolRetryMiddleware' in langchain)

/** Whether it has no middleware for the errors of tools yet, which came early in 1.5. */
export const isBeforeVersion15: boolean = !('toolErrorMiddleware' in langchain)
