/** What adapters of agent frameworks have in common: how parts become blocks and come back. */
export { contentTypeEssence } from '../content/content-type-essence.ts'
export { isTextContentType } from '../content/text-content-type.ts'
export { encodeBase64, mediaFromData, mediaFromUrl } from './media-source.ts'
export { offloadParts, type PartsOutcome, type PartsRequest } from './offload-parts.ts'
export { offloadThrown, type ThrownRequest } from './offload-thrown.ts'
