import { MenuBeside } from '../parts/menu-button.tsx';
import { lazyPart } from '../parts/part.ts';

const menus = () => import('./menus.tsx');

export const FolderMenu = lazyPart(() => menus().then((module) => module.FolderMenu));
export const MenuAt = lazyPart(() => menus().then((module) => module.MenuAt));
export const MenuItems = lazyPart(() => menus().then((module) => module.MenuItems));
export const RowMenu = lazyPart(() => menus().then((module) => module.RowMenu));
export const ShowDeletedItem = lazyPart(() => menus().then((module) => module.ShowDeletedItem));
export const SortItems = lazyPart(() => menus().then((module) => module.SortItems));
export const StepItems = lazyPart(() => menus().then((module) => module.StepItems));
export const ViewItems = lazyPart(() => menus().then((module) => module.ViewItems));

/** Loads the code of all menus of a folder before the first one is opened. */
export function preloadMenus(): void {
  const parts = [FolderMenu, MenuAt, MenuBeside, MenuItems, RowMenu, ShowDeletedItem, SortItems, StepItems, ViewItems];
  for (const part of parts) part.preload();
}
