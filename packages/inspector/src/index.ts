/** A web page that shows what a storage holds. */
export { createInspector, type Inspector, type InspectorOptions } from './create-inspector.ts'
