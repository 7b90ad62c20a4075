/** What adapters of agent frameworks have in common: how parts become blocks and come back. */
export { isTextContentType } from '../content/text-content-type.ts'
export { encodeBase64, mediaFromBase64, mediaFromBytes, mediaFromUrl } from './media-source.ts'
export { offloadParts, type PartsRequest } from './offload-parts.ts'
export { offloadThrown, type ThrownRequest } from './offload-thrown.ts'
