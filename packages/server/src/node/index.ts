/** The HTTP service on Node.js. */
export { serve, type ServeOptions, type Service } from './serve.ts'
