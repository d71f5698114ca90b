import { mount } from 'svelte';
import '../../ui/base.css';
import Approve from './Approve.svelte';

mount(Approve, { target: document.body });
