import { mount } from 'svelte';
import '../../ui/base.css';
import Popup from './Popup.svelte';

mount(Popup, { target: document.body });
