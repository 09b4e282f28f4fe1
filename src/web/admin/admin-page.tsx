/** Roles, policies and bindings; for the admin role. Loaded when it is first needed. */
export function AdminPage() {
  return null;
}
