var ze=Object.defineProperty;var xt=(r,t,e)=>()=>{if(e)throw e[0];try{return r&&(t=r(r=0)),t}catch(i){throw e=[i],i}};var Pe=(r,t)=>{for(var e in t)ze(r,e,{get:t[e],enumerable:!0})};var tt,ve=xt(()=>{/**
 * @license
 * Copyright 2021 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */tt=class{constructor(t){this._map=new Map,this._roundAverageSize=!1,this.totalSize=0,t?.roundAverageSize===!0&&(this._roundAverageSize=!0)}set(t,e){let i=this._map.get(t)||0;this._map.set(t,e),this.totalSize+=e-i}get averageSize(){if(this._map.size>0){let t=this.totalSize/this._map.size;return this._roundAverageSize?Math.round(t):t}return 0}getSize(t){return this._map.get(t)}clear(){this._map.clear(),this.totalSize=0}}});function Vt(r){return r==="horizontal"?"width":"height"}var yt,we=xt(()=>{/**
 * @license
 * Copyright 2021 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */yt=class{_getDefaultConfig(){return{direction:"vertical"}}constructor(t,e){this._latestCoords={left:0,top:0},this._direction=null,this._viewportSize={width:0,height:0},this.totalScrollSize={width:0,height:0},this.offsetWithinScroller={left:0,top:0},this._pendingReflow=!1,this._pendingLayoutUpdate=!1,this._pin=null,this._firstVisible=0,this._lastVisible=0,this._physicalMin=0,this._physicalMax=0,this._first=-1,this._last=-1,this._sizeDim="height",this._secondarySizeDim="width",this._positionDim="top",this._secondaryPositionDim="left",this._scrollPosition=0,this._scrollError=0,this._items=[],this._scrollSize=1,this._overhang=1e3,this._hostSink=t,Promise.resolve().then(()=>this.config=e||this._getDefaultConfig())}set config(t){Object.assign(this,Object.assign({},this._getDefaultConfig(),t))}get config(){return{direction:this.direction}}get items(){return this._items}set items(t){this._setItems(t)}_setItems(t){t!==this._items&&(this._items=t,this._scheduleReflow())}get direction(){return this._direction}set direction(t){t=t==="horizontal"?t:"vertical",t!==this._direction&&(this._direction=t,this._sizeDim=t==="horizontal"?"width":"height",this._secondarySizeDim=t==="horizontal"?"height":"width",this._positionDim=t==="horizontal"?"left":"top",this._secondaryPositionDim=t==="horizontal"?"top":"left",this._triggerReflow())}get viewportSize(){return this._viewportSize}set viewportSize(t){let{_viewDim1:e,_viewDim2:i}=this;Object.assign(this._viewportSize,t),i!==this._viewDim2?this._scheduleLayoutUpdate():e!==this._viewDim1&&this._checkThresholds()}get viewportScroll(){return this._latestCoords}set viewportScroll(t){Object.assign(this._latestCoords,t);let e=this._scrollPosition;this._scrollPosition=this._latestCoords[this._positionDim],Math.abs(e-this._scrollPosition)>=1&&this._checkThresholds()}reflowIfNeeded(t=!1){(t||this._pendingReflow)&&(this._pendingReflow=!1,this._reflow())}set pin(t){this._pin=t,this._triggerReflow()}get pin(){if(this._pin!==null){let{index:t,block:e}=this._pin;return{index:Math.max(0,Math.min(t,this.items.length-1)),block:e}}return null}_clampScrollPosition(t){return Math.max(-this.offsetWithinScroller[this._positionDim],Math.min(t,this.totalScrollSize[Vt(this.direction)]-this._viewDim1))}unpin(){this._pin!==null&&(this._sendUnpinnedMessage(),this._pin=null)}_updateLayout(){}get _viewDim1(){return this._viewportSize[this._sizeDim]}get _viewDim2(){return this._viewportSize[this._secondarySizeDim]}_scheduleReflow(){this._pendingReflow=!0}_scheduleLayoutUpdate(){this._pendingLayoutUpdate=!0,this._scheduleReflow()}_triggerReflow(){this._scheduleLayoutUpdate(),Promise.resolve().then(()=>this.reflowIfNeeded())}_reflow(){this._pendingLayoutUpdate&&(this._updateLayout(),this._pendingLayoutUpdate=!1),this._updateScrollSize(),this._setPositionFromPin(),this._getActiveItems(),this._updateVisibleIndices(),this._sendStateChangedMessage()}_setPositionFromPin(){if(this.pin!==null){let t=this._scrollPosition,{index:e,block:i}=this.pin;this._scrollPosition=this._calculateScrollIntoViewPosition({index:e,block:i||"start"})-this.offsetWithinScroller[this._positionDim],this._scrollError=t-this._scrollPosition}}_calculateScrollIntoViewPosition(t){let{block:e}=t,i=Math.min(this.items.length,Math.max(0,t.index)),s=this._getItemPosition(i)[this._positionDim],n=s;if(e!=="start"){let o=this._getItemSize(i)[this._sizeDim];if(e==="center")n=s-.5*this._viewDim1+.5*o;else{let l=s-this._viewDim1+o;if(e==="end")n=l;else{let a=this._scrollPosition;n=Math.abs(a-s)<Math.abs(a-l)?s:l}}}return n+=this.offsetWithinScroller[this._positionDim],this._clampScrollPosition(n)}getScrollIntoViewCoordinates(t){return{[this._positionDim]:this._calculateScrollIntoViewPosition(t)}}_sendUnpinnedMessage(){this._hostSink({type:"unpinned"})}_sendVisibilityChangedMessage(){this._hostSink({type:"visibilityChanged",firstVisible:this._firstVisible,lastVisible:this._lastVisible})}_sendStateChangedMessage(){let t=new Map;if(this._first!==-1&&this._last!==-1)for(let i=this._first;i<=this._last;i++)t.set(i,this._getItemPosition(i));let e={type:"stateChanged",scrollSize:{[this._sizeDim]:this._scrollSize,[this._secondarySizeDim]:null},range:{first:this._first,last:this._last,firstVisible:this._firstVisible,lastVisible:this._lastVisible},childPositions:t};this._scrollError&&(e.scrollError={[this._positionDim]:this._scrollError,[this._secondaryPositionDim]:0},this._scrollError=0),this._hostSink(e)}get _num(){return this._first===-1||this._last===-1?0:this._last-this._first+1}_checkThresholds(){if(this._viewDim1===0&&this._num>0||this._pin!==null)this._scheduleReflow();else{let t=Math.max(0,this._scrollPosition-this._overhang),e=Math.min(this._scrollSize,this._scrollPosition+this._viewDim1+this._overhang);this._physicalMin>t||this._physicalMax<e?this._scheduleReflow():this._updateVisibleIndices({emit:!0})}}_updateVisibleIndices(t){if(this._first===-1||this._last===-1)return;let e=this._first;for(;e<this._last&&Math.round(this._getItemPosition(e)[this._positionDim]+this._getItemSize(e)[this._sizeDim])<=Math.round(this._scrollPosition);)e++;let i=this._last;for(;i>this._first&&Math.round(this._getItemPosition(i)[this._positionDim])>=Math.round(this._scrollPosition+this._viewDim1);)i--;(e!==this._firstVisible||i!==this._lastVisible)&&(this._firstVisible=e,this._lastVisible=i,t&&t.emit&&this._sendVisibilityChangedMessage())}}});var $e={};Pe($e,{FlowLayout:()=>vt,flow:()=>Xe});function be(r){return r==="horizontal"?"marginLeft":"marginTop"}function ti(r){return r==="horizontal"?"marginRight":"marginBottom"}function ei(r){return r==="horizontal"?"xOffset":"yOffset"}function ii(r,t){let e=[r,t].sort();return e[1]<=0?Math.min(...e):e[0]>=0?Math.max(...e):e[0]+e[1]}var Xe,Ht,vt,xe=xt(()=>{ve();we();/**
 * @license
 * Copyright 2021 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */Xe=r=>Object.assign({type:vt},r);Ht=class{constructor(){this._childSizeCache=new tt,this._marginSizeCache=new tt,this._metricsCache=new Map}update(t,e){let i=new Set;Object.keys(t).forEach(s=>{let n=Number(s);this._metricsCache.set(n,t[n]),this._childSizeCache.set(n,t[n][Vt(e)]),i.add(n),i.add(n+1)});for(let s of i){let n=this._metricsCache.get(s)?.[be(e)]||0,o=this._metricsCache.get(s-1)?.[ti(e)]||0;this._marginSizeCache.set(s,ii(n,o))}}get averageChildSize(){return this._childSizeCache.averageSize}get totalChildSize(){return this._childSizeCache.totalSize}get averageMarginSize(){return this._marginSizeCache.averageSize}get totalMarginSize(){return this._marginSizeCache.totalSize}getLeadingMarginValue(t,e){return this._metricsCache.get(t)?.[be(e)]||0}getChildSize(t){return this._childSizeCache.getSize(t)}getMarginSize(t){return this._marginSizeCache.getSize(t)}clear(){this._childSizeCache.clear(),this._marginSizeCache.clear(),this._metricsCache.clear()}},vt=class extends yt{constructor(){super(...arguments),this._itemSize={width:100,height:100},this._physicalItems=new Map,this._newPhysicalItems=new Map,this._metricsCache=new Ht,this._anchorIdx=null,this._anchorPos=null,this._stable=!0,this._measureChildren=!0,this._estimate=!0}get measureChildren(){return this._measureChildren}updateItemSizes(t){this._metricsCache.update(t,this.direction),this._scheduleReflow()}_getPhysicalItem(t){return this._newPhysicalItems.get(t)??this._physicalItems.get(t)}_getSize(t){return this._getPhysicalItem(t)&&this._metricsCache.getChildSize(t)}_getAverageSize(){return this._metricsCache.averageChildSize||this._itemSize[this._sizeDim]}_estimatePosition(t){let e=this._metricsCache;if(this._first===-1||this._last===-1)return e.averageMarginSize+t*(e.averageMarginSize+this._getAverageSize());if(t<this._first){let i=this._first-t;return this._getPhysicalItem(this._first).pos-(e.getMarginSize(this._first-1)||e.averageMarginSize)-(i*e.averageChildSize+(i-1)*e.averageMarginSize)}else{let i=t-this._last;return this._getPhysicalItem(this._last).pos+(e.getChildSize(this._last)||e.averageChildSize)+(e.getMarginSize(this._last)||e.averageMarginSize)+i*(e.averageChildSize+e.averageMarginSize)}}_getPosition(t){let e=this._getPhysicalItem(t),{averageMarginSize:i}=this._metricsCache;return t===0?this._metricsCache.getMarginSize(0)??i:e?e.pos:this._estimatePosition(t)}_calculateAnchor(t,e){return t<=0?0:e>this._scrollSize-this._viewDim1?this.items.length-1:Math.max(0,Math.min(this.items.length-1,Math.floor((t+e)/2/this._delta)))}_getAnchor(t,e){if(this._physicalItems.size===0)return this._calculateAnchor(t,e);if(this._first<0)return this._calculateAnchor(t,e);if(this._last<0)return this._calculateAnchor(t,e);let i=this._getPhysicalItem(this._first),s=this._getPhysicalItem(this._last),n=i.pos;if(s.pos+this._metricsCache.getChildSize(this._last)<t)return this._calculateAnchor(t,e);if(n>e)return this._calculateAnchor(t,e);let a=this._firstVisible-1,c=-1/0;for(;c<t;)c=this._getPhysicalItem(++a).pos+this._metricsCache.getChildSize(a);return a}_getActiveItems(){this._viewDim1===0||this.items.length===0?this._clearItems():this._getItems()}_clearItems(){this._first=-1,this._last=-1,this._physicalMin=0,this._physicalMax=0;let t=this._newPhysicalItems;this._newPhysicalItems=this._physicalItems,this._newPhysicalItems.clear(),this._physicalItems=t,this._stable=!0}_getItems(){let t=this._newPhysicalItems;this._stable=!0;let e,i;if(this.pin!==null){let{index:c}=this.pin;this._anchorIdx=c,this._anchorPos=this._getPosition(c)}if(e=this._scrollPosition-this._overhang,i=this._scrollPosition+this._viewDim1+this._overhang,i<0||e>this._scrollSize){this._clearItems();return}(this._anchorIdx===null||this._anchorPos===null)&&(this._anchorIdx=this._getAnchor(e,i),this._anchorPos=this._getPosition(this._anchorIdx));let s=this._getSize(this._anchorIdx);s===void 0&&(this._stable=!1,s=this._getAverageSize());let n=this._metricsCache.getMarginSize(this._anchorIdx)??this._metricsCache.averageMarginSize,o=this._metricsCache.getMarginSize(this._anchorIdx+1)??this._metricsCache.averageMarginSize;this._anchorIdx===0&&(this._anchorPos=n),this._anchorIdx===this.items.length-1&&(this._anchorPos=this._scrollSize-o-s);let l=0;for(this._anchorPos+s+o<e&&(l=e-(this._anchorPos+s+o)),this._anchorPos-n>i&&(l=i-(this._anchorPos-n)),l&&(this._scrollPosition-=l,e-=l,i-=l,this._scrollError+=l),t.set(this._anchorIdx,{pos:this._anchorPos,size:s}),this._first=this._last=this._anchorIdx,this._physicalMin=this._anchorPos-n,this._physicalMax=this._anchorPos+s+o;this._physicalMin>e&&this._first>0;){let c=this._getSize(--this._first);c===void 0&&(this._stable=!1,c=this._getAverageSize());let _=this._metricsCache.getMarginSize(this._first);_===void 0&&(this._stable=!1,_=this._metricsCache.averageMarginSize),this._physicalMin-=c;let d=this._physicalMin;if(t.set(this._first,{pos:d,size:c}),this._physicalMin-=_,this._stable===!1&&this._estimate===!1)break}for(;this._physicalMax<i&&this._last<this.items.length-1;){let c=this._getSize(++this._last);c===void 0&&(this._stable=!1,c=this._getAverageSize());let _=this._metricsCache.getMarginSize(this._last);_===void 0&&(this._stable=!1,_=this._metricsCache.averageMarginSize);let d=this._physicalMax;if(t.set(this._last,{pos:d,size:c}),this._physicalMax+=c+_,!this._stable&&!this._estimate)break}let a=this._calculateError();a&&(this._physicalMin-=a,this._physicalMax-=a,this._anchorPos-=a,this._scrollPosition-=a,t.forEach(c=>c.pos-=a),this._scrollError+=a),this._stable&&(this._newPhysicalItems=this._physicalItems,this._newPhysicalItems.clear(),this._physicalItems=t)}_calculateError(){return this._first===0?this._physicalMin:this._physicalMin<=0?this._physicalMin-this._first*this._delta:this._last===this.items.length-1?this._physicalMax-this._scrollSize:this._physicalMax>=this._scrollSize?this._physicalMax-this._scrollSize+(this.items.length-1-this._last)*this._delta:0}_reflow(){let{_first:t,_last:e}=this;super._reflow(),(this._first===-1&&this._last==-1||this._first===t&&this._last===e)&&this._resetReflowState()}_resetReflowState(){this._anchorIdx=null,this._anchorPos=null,this._stable=!0}_updateScrollSize(){let{averageMarginSize:t}=this._metricsCache;this._scrollSize=Math.max(1,this.items.length*(t+this._getAverageSize())+t)}get _delta(){let{averageMarginSize:t}=this._metricsCache;return this._getAverageSize()+t}_getItemPosition(t){return{[this._positionDim]:this._getPosition(t),[this._secondaryPositionDim]:0,[ei(this.direction)]:-(this._metricsCache.getLeadingMarginValue(t,this.direction)??this._metricsCache.averageMarginSize)}}_getItemSize(t){return{[this._sizeDim]:this._getSize(t)||this._getAverageSize(),[this._secondarySizeDim]:this._itemSize[this._secondarySizeDim]}}_viewDim2Changed(){this._metricsCache.clear(),this._scheduleReflow()}}});/**
 * @license
 * Copyright 2019 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var et=globalThis,it=et.ShadowRoot&&(et.ShadyCSS===void 0||et.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype,St=Symbol(),jt=new WeakMap,W=class{constructor(t,e,i){if(this._$cssResult$=!0,i!==St)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=e}get styleSheet(){let t=this.o,e=this.t;if(it&&t===void 0){let i=e!==void 0&&e.length===1;i&&(t=jt.get(e)),t===void 0&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),i&&jt.set(e,t))}return t}toString(){return this.cssText}},qt=r=>new W(typeof r=="string"?r:r+"",void 0,St),$=(r,...t)=>{let e=r.length===1?r[0]:t.reduce((i,s,n)=>i+(o=>{if(o._$cssResult$===!0)return o.cssText;if(typeof o=="number")return o;throw Error("Value passed to 'css' function must be a 'css' function result: "+o+". Use 'unsafeCSS' to pass non-literal values, but take care to ensure page security.")})(s)+r[n+1],r[0]);return new W(e,r,St)},Ft=(r,t)=>{if(it)r.adoptedStyleSheets=t.map(e=>e instanceof CSSStyleSheet?e:e.styleSheet);else for(let e of t){let i=document.createElement("style"),s=et.litNonce;s!==void 0&&i.setAttribute("nonce",s),i.textContent=e.cssText,r.appendChild(i)}},At=it?r=>r:r=>r instanceof CSSStyleSheet?(t=>{let e="";for(let i of t.cssRules)e+=i.cssText;return qt(e)})(r):r;/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{is:Me,defineProperty:Te,getOwnPropertyDescriptor:Re,getOwnPropertyNames:Ie,getOwnPropertySymbols:Le,getPrototypeOf:De}=Object,st=globalThis,Gt=st.trustedTypes,Oe=Gt?Gt.emptyScript:"",Ve=st.reactiveElementPolyfillSupport,B=(r,t)=>r,kt={toAttribute(r,t){switch(t){case Boolean:r=r?Oe:null;break;case Object:case Array:r=r==null?r:JSON.stringify(r)}return r},fromAttribute(r,t){let e=r;switch(t){case Boolean:e=r!==null;break;case Number:e=r===null?null:Number(r);break;case Object:case Array:try{e=JSON.parse(r)}catch{e=null}}return e}},Jt=(r,t)=>!Me(r,t),Kt={attribute:!0,type:String,converter:kt,reflect:!1,useDefault:!1,hasChanged:Jt};Symbol.metadata??=Symbol("metadata"),st.litPropertyMetadata??=new WeakMap;var k=class extends HTMLElement{static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}static get observedAttributes(){return this.finalize(),this._$Eh&&[...this._$Eh.keys()]}static createProperty(t,e=Kt){if(e.state&&(e.attribute=!1),this._$Ei(),this.prototype.hasOwnProperty(t)&&((e=Object.create(e)).wrapped=!0),this.elementProperties.set(t,e),!e.noAccessor){let i=Symbol(),s=this.getPropertyDescriptor(t,i,e);s!==void 0&&Te(this.prototype,t,s)}}static getPropertyDescriptor(t,e,i){let{get:s,set:n}=Re(this.prototype,t)??{get(){return this[e]},set(o){this[e]=o}};return{get:s,set(o){let l=s?.call(this);n?.call(this,o),this.requestUpdate(t,l,i)},configurable:!0,enumerable:!0}}static getPropertyOptions(t){return this.elementProperties.get(t)??Kt}static _$Ei(){if(this.hasOwnProperty(B("elementProperties")))return;let t=De(this);t.finalize(),t.l!==void 0&&(this.l=[...t.l]),this.elementProperties=new Map(t.elementProperties)}static finalize(){if(this.hasOwnProperty(B("finalized")))return;if(this.finalized=!0,this._$Ei(),this.hasOwnProperty(B("properties"))){let e=this.properties,i=[...Ie(e),...Le(e)];for(let s of i)this.createProperty(s,e[s])}let t=this[Symbol.metadata];if(t!==null){let e=litPropertyMetadata.get(t);if(e!==void 0)for(let[i,s]of e)this.elementProperties.set(i,s)}this._$Eh=new Map;for(let[e,i]of this.elementProperties){let s=this._$Eu(e,i);s!==void 0&&this._$Eh.set(s,e)}this.elementStyles=this.finalizeStyles(this.styles)}static finalizeStyles(t){let e=[];if(Array.isArray(t)){let i=new Set(t.flat(1/0).reverse());for(let s of i)e.unshift(At(s))}else t!==void 0&&e.push(At(t));return e}static _$Eu(t,e){let i=e.attribute;return i===!1?void 0:typeof i=="string"?i:typeof t=="string"?t.toLowerCase():void 0}constructor(){super(),this._$Ep=void 0,this.isUpdatePending=!1,this.hasUpdated=!1,this._$Em=null,this._$Ev()}_$Ev(){this._$ES=new Promise(t=>this.enableUpdating=t),this._$AL=new Map,this._$E_(),this.requestUpdate(),this.constructor.l?.forEach(t=>t(this))}addController(t){(this._$EO??=new Set).add(t),this.renderRoot!==void 0&&this.isConnected&&t.hostConnected?.()}removeController(t){this._$EO?.delete(t)}_$E_(){let t=new Map,e=this.constructor.elementProperties;for(let i of e.keys())this.hasOwnProperty(i)&&(t.set(i,this[i]),delete this[i]);t.size>0&&(this._$Ep=t)}createRenderRoot(){let t=this.shadowRoot??this.attachShadow(this.constructor.shadowRootOptions);return Ft(t,this.constructor.elementStyles),t}connectedCallback(){this.renderRoot??=this.createRenderRoot(),this.enableUpdating(!0),this._$EO?.forEach(t=>t.hostConnected?.())}enableUpdating(t){}disconnectedCallback(){this._$EO?.forEach(t=>t.hostDisconnected?.())}attributeChangedCallback(t,e,i){this._$AK(t,i)}_$ET(t,e){let i=this.constructor.elementProperties.get(t),s=this.constructor._$Eu(t,i);if(s!==void 0&&i.reflect===!0){let n=(i.converter?.toAttribute!==void 0?i.converter:kt).toAttribute(e,i.type);this._$Em=t,n==null?this.removeAttribute(s):this.setAttribute(s,n),this._$Em=null}}_$AK(t,e){let i=this.constructor,s=i._$Eh.get(t);if(s!==void 0&&this._$Em!==s){let n=i.getPropertyOptions(s),o=typeof n.converter=="function"?{fromAttribute:n.converter}:n.converter?.fromAttribute!==void 0?n.converter:kt;this._$Em=s;let l=o.fromAttribute(e,n.type);this[s]=l??this._$Ej?.get(s)??l,this._$Em=null}}requestUpdate(t,e,i,s=!1,n){if(t!==void 0){let o=this.constructor;if(s===!1&&(n=this[t]),i??=o.getPropertyOptions(t),!((i.hasChanged??Jt)(n,e)||i.useDefault&&i.reflect&&n===this._$Ej?.get(t)&&!this.hasAttribute(o._$Eu(t,i))))return;this.C(t,e,i)}this.isUpdatePending===!1&&(this._$ES=this._$EP())}C(t,e,{useDefault:i,reflect:s,wrapped:n},o){i&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,o??e??this[t]),n!==!0||o!==void 0)||(this._$AL.has(t)||(this.hasUpdated||i||(e=void 0),this._$AL.set(t,e)),s===!0&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}async _$EP(){this.isUpdatePending=!0;try{await this._$ES}catch(e){Promise.reject(e)}let t=this.scheduleUpdate();return t!=null&&await t,!this.isUpdatePending}scheduleUpdate(){return this.performUpdate()}performUpdate(){if(!this.isUpdatePending)return;if(!this.hasUpdated){if(this.renderRoot??=this.createRenderRoot(),this._$Ep){for(let[s,n]of this._$Ep)this[s]=n;this._$Ep=void 0}let i=this.constructor.elementProperties;if(i.size>0)for(let[s,n]of i){let{wrapped:o}=n,l=this[s];o!==!0||this._$AL.has(s)||l===void 0||this.C(s,void 0,n,l)}}let t=!1,e=this._$AL;try{t=this.shouldUpdate(e),t?(this.willUpdate(e),this._$EO?.forEach(i=>i.hostUpdate?.()),this.update(e)):this._$EM()}catch(i){throw t=!1,this._$EM(),i}t&&this._$AE(e)}willUpdate(t){}_$AE(t){this._$EO?.forEach(e=>e.hostUpdated?.()),this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)}_$EM(){this._$AL=new Map,this.isUpdatePending=!1}get updateComplete(){return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}shouldUpdate(t){return!0}update(t){this._$Eq&&=this._$Eq.forEach(e=>this._$ET(e,this[e])),this._$EM()}updated(t){}firstUpdated(t){}};k.elementStyles=[],k.shadowRootOptions={mode:"open"},k[B("elementProperties")]=new Map,k[B("finalized")]=new Map,Ve?.({ReactiveElement:k}),(st.reactiveElementVersions??=[]).push("2.1.2");/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Et=globalThis,Zt=r=>r,rt=Et.trustedTypes,Yt=rt?rt.createPolicy("lit-html",{createHTML:r=>r}):void 0,zt="$lit$",C=`lit$${Math.random().toFixed(9).slice(2)}$`,Pt="?"+C,He=`<${Pt}>`,T=document,q=()=>T.createComment(""),F=r=>r===null||typeof r!="object"&&typeof r!="function",Mt=Array.isArray,se=r=>Mt(r)||typeof r?.[Symbol.iterator]=="function",Ct=`[ 	
\f\r]`,j=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Qt=/-->/g,Xt=/>/g,P=RegExp(`>|${Ct}(?:([^\\s"'>=/]+)(${Ct}*=${Ct}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),te=/'/g,ee=/"/g,re=/^(?:script|style|textarea|title)$/i,Tt=r=>(t,...e)=>({_$litType$:r,strings:t,values:e}),h=Tt(1),fi=Tt(2),yi=Tt(3),x=Symbol.for("lit-noChange"),u=Symbol.for("lit-nothing"),ie=new WeakMap,M=T.createTreeWalker(T,129);function ne(r,t){if(!Mt(r)||!r.hasOwnProperty("raw"))throw Error("invalid template strings array");return Yt!==void 0?Yt.createHTML(t):t}var oe=(r,t)=>{let e=r.length-1,i=[],s,n=t===2?"<svg>":t===3?"<math>":"",o=j;for(let l=0;l<e;l++){let a=r[l],c,_,d=-1,m=0;for(;m<a.length&&(o.lastIndex=m,_=o.exec(a),_!==null);)m=o.lastIndex,o===j?_[1]==="!--"?o=Qt:_[1]!==void 0?o=Xt:_[2]!==void 0?(re.test(_[2])&&(s=RegExp("</"+_[2],"g")),o=P):_[3]!==void 0&&(o=P):o===P?_[0]===">"?(o=s??j,d=-1):_[1]===void 0?d=-2:(d=o.lastIndex-_[2].length,c=_[1],o=_[3]===void 0?P:_[3]==='"'?ee:te):o===ee||o===te?o=P:o===Qt||o===Xt?o=j:(o=P,s=void 0);let p=o===P&&r[l+1].startsWith("/>")?" ":"";n+=o===j?a+He:d>=0?(i.push(c),a.slice(0,d)+zt+a.slice(d)+C+p):a+C+(d===-2?l:p)}return[ne(r,n+(r[e]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),i]},G=class r{constructor({strings:t,_$litType$:e},i){let s;this.parts=[];let n=0,o=0,l=t.length-1,a=this.parts,[c,_]=oe(t,e);if(this.el=r.createElement(c,i),M.currentNode=this.el.content,e===2||e===3){let d=this.el.content.firstChild;d.replaceWith(...d.childNodes)}for(;(s=M.nextNode())!==null&&a.length<l;){if(s.nodeType===1){if(s.hasAttributes())for(let d of s.getAttributeNames())if(d.endsWith(zt)){let m=_[o++],p=s.getAttribute(d).split(C),f=/([.?@])?(.*)/.exec(m);a.push({type:1,index:n,name:f[2],strings:p,ctor:f[1]==="."?ot:f[1]==="?"?at:f[1]==="@"?lt:I}),s.removeAttribute(d)}else d.startsWith(C)&&(a.push({type:6,index:n}),s.removeAttribute(d));if(re.test(s.tagName)){let d=s.textContent.split(C),m=d.length-1;if(m>0){s.textContent=rt?rt.emptyScript:"";for(let p=0;p<m;p++)s.append(d[p],q()),M.nextNode(),a.push({type:2,index:++n});s.append(d[m],q())}}}else if(s.nodeType===8)if(s.data===Pt)a.push({type:2,index:n});else{let d=-1;for(;(d=s.data.indexOf(C,d+1))!==-1;)a.push({type:7,index:n}),d+=C.length-1}n++}}static createElement(t,e){let i=T.createElement("template");return i.innerHTML=t,i}};function R(r,t,e=r,i){if(t===x)return t;let s=i!==void 0?e._$Co?.[i]:e._$Cl,n=F(t)?void 0:t._$litDirective$;return s?.constructor!==n&&(s?._$AO?.(!1),n===void 0?s=void 0:(s=new n(r),s._$AT(r,e,i)),i!==void 0?(e._$Co??=[])[i]=s:e._$Cl=s),s!==void 0&&(t=R(r,s._$AS(r,t.values),s,i)),t}var nt=class{constructor(t,e){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=e}get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}u(t){let{el:{content:e},parts:i}=this._$AD,s=(t?.creationScope??T).importNode(e,!0);M.currentNode=s;let n=M.nextNode(),o=0,l=0,a=i[0];for(;a!==void 0;){if(o===a.index){let c;a.type===2?c=new D(n,n.nextSibling,this,t):a.type===1?c=new a.ctor(n,a.name,a.strings,this,t):a.type===6&&(c=new ht(n,this,t)),this._$AV.push(c),a=i[++l]}o!==a?.index&&(n=M.nextNode(),o++)}return M.currentNode=T,s}p(t){let e=0;for(let i of this._$AV)i!==void 0&&(i.strings!==void 0?(i._$AI(t,i,e),e+=i.strings.length-2):i._$AI(t[e])),e++}},D=class r{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,e,i,s){this.type=2,this._$AH=u,this._$AN=void 0,this._$AA=t,this._$AB=e,this._$AM=i,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,e=this._$AM;return e!==void 0&&t?.nodeType===11&&(t=e.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,e=this){t=R(this,t,e),F(t)?t===u||t==null||t===""?(this._$AH!==u&&this._$AR(),this._$AH=u):t!==this._$AH&&t!==x&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):se(t)?this.k(t):this._(t)}O(t){return this._$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==u&&F(this._$AH)?this._$AA.nextSibling.data=t:this.T(T.createTextNode(t)),this._$AH=t}$(t){let{values:e,_$litType$:i}=t,s=typeof i=="number"?this._$AC(t):(i.el===void 0&&(i.el=G.createElement(ne(i.h,i.h[0]),this.options)),i);if(this._$AH?._$AD===s)this._$AH.p(e);else{let n=new nt(s,this),o=n.u(this.options);n.p(e),this.T(o),this._$AH=n}}_$AC(t){let e=ie.get(t.strings);return e===void 0&&ie.set(t.strings,e=new G(t)),e}k(t){Mt(this._$AH)||(this._$AH=[],this._$AR());let e=this._$AH,i,s=0;for(let n of t)s===e.length?e.push(i=new r(this.O(q()),this.O(q()),this,this.options)):i=e[s],i._$AI(n),s++;s<e.length&&(this._$AR(i&&i._$AB.nextSibling,s),e.length=s)}_$AR(t=this._$AA.nextSibling,e){for(this._$AP?.(!1,!0,e);t!==this._$AB;){let i=Zt(t).nextSibling;Zt(t).remove(),t=i}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},I=class{get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,e,i,s,n){this.type=1,this._$AH=u,this._$AN=void 0,this.element=t,this.name=e,this._$AM=s,this.options=n,i.length>2||i[0]!==""||i[1]!==""?(this._$AH=Array(i.length-1).fill(new String),this.strings=i):this._$AH=u}_$AI(t,e=this,i,s){let n=this.strings,o=!1;if(n===void 0)t=R(this,t,e,0),o=!F(t)||t!==this._$AH&&t!==x,o&&(this._$AH=t);else{let l=t,a,c;for(t=n[0],a=0;a<n.length-1;a++)c=R(this,l[i+a],e,a),c===x&&(c=this._$AH[a]),o||=!F(c)||c!==this._$AH[a],c===u?t=u:t!==u&&(t+=(c??"")+n[a+1]),this._$AH[a]=c}o&&!s&&this.j(t)}j(t){t===u?this.element.removeAttribute(this.name):this.element.setAttribute(this.name,t??"")}},ot=class extends I{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===u?void 0:t}},at=class extends I{constructor(){super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==u)}},lt=class extends I{constructor(t,e,i,s,n){super(t,e,i,s,n),this.type=5}_$AI(t,e=this){if((t=R(this,t,e,0)??u)===x)return;let i=this._$AH,s=t===u&&i!==u||t.capture!==i.capture||t.once!==i.once||t.passive!==i.passive,n=t!==u&&(i===u||s);s&&this.element.removeEventListener(this.name,this,i),n&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="function"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},ht=class{constructor(t,e,i){this.element=t,this.type=6,this._$AN=void 0,this._$AM=e,this.options=i}get _$AU(){return this._$AM._$AU}_$AI(t){R(this,t)}},ae={M:zt,P:C,A:Pt,C:1,L:oe,R:nt,D:se,V:R,I:D,H:I,N:at,U:lt,B:ot,F:ht},Ne=Et.litHtmlPolyfillSupport;Ne?.(G,D),(Et.litHtmlVersions??=[]).push("3.3.3");var le=(r,t,e)=>{let i=e?.renderBefore??t,s=i._$litPart$;if(s===void 0){let n=e?.renderBefore??null;i._$litPart$=s=new D(t.insertBefore(q(),n),n,void 0,e??{})}return s._$AI(r),s};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Rt=globalThis,S=class extends k{constructor(){super(...arguments),this.renderOptions={host:this},this._$Do=void 0}createRenderRoot(){let t=super.createRenderRoot();return this.renderOptions.renderBefore??=t.firstChild,t}update(t){let e=this.render();this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),super.update(t),this._$Do=le(e,this.renderRoot,this.renderOptions)}connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}render(){return x}};S._$litElement$=!0,S.finalized=!0,Rt.litElementHydrateSupport?.({LitElement:S});var Ue=Rt.litElementPolyfillSupport;Ue?.({LitElement:S});(Rt.litElementVersions??=[]).push("4.2.2");/**
 * @license
 * Copyright 2022 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var v=$`
  :host {
    display: block;
    color: var(--primary-text-color);
    font-size: 1rem;
    line-height: 1.45;
  }
  .card {
    background: var(--card-background-color);
    border: 1px solid var(--divider-color);
    border-radius: var(--ha-card-border-radius, 12px);
    padding: 12px 16px;
    margin: 0 0 12px;
  }
  h2 {
    font-size: 1.1rem;
    font-weight: 500;
    margin: 20px 0 8px;
  }
  p {
    margin: 4px 0;
  }
  .soft {
    color: var(--secondary-text-color);
  }
  .words {
    overflow-wrap: anywhere;
  }
  .failure {
    border-left: 4px solid var(--error-color);
    background: var(--card-background-color);
    padding: 8px 12px;
    margin: 0 0 12px;
  }
  .good {
    border-left: 4px solid var(--success-color);
    padding: 8px 12px;
    margin: 0 0 12px;
  }
  .line {
    display: flex;
    flex-wrap: wrap;
    gap: 8px;
    align-items: center;
  }
  .grow {
    flex: 1 1 12rem;
    min-width: 0;
  }
  button {
    font: inherit;
    color: var(--primary-text-color);
    background: transparent;
    border: 1px solid var(--secondary-text-color);
    border-radius: 20px;
    padding: 6px 16px;
    min-height: 40px;
    cursor: pointer;
  }
  button.main {
    color: var(--card-background-color);
    background: var(--primary-text-color);
    border-color: var(--primary-text-color);
  }
  button.link {
    border: 0;
    padding: 4px;
    min-height: 0;
    text-decoration: underline;
  }
  button:disabled {
    opacity: 0.55;
    cursor: default;
  }
  button:focus-visible,
  summary:focus-visible,
  input:focus-visible,
  select:focus-visible,
  textarea:focus-visible {
    outline: 2px solid var(--primary-text-color);
    outline-offset: 2px;
  }
  label {
    display: flex;
    flex-direction: column;
    gap: 2px;
    font-size: 0.875rem;
    color: var(--secondary-text-color);
  }
  label.tick {
    flex-direction: row;
    align-items: center;
    gap: 6px;
    min-height: 40px;
  }
  input:not([type="checkbox"]),
  select,
  textarea {
    font: inherit;
    color: var(--primary-text-color);
    background: var(--card-background-color);
    border: 1px solid var(--secondary-text-color);
    border-radius: 6px;
    padding: 8px;
    min-height: 40px;
    box-sizing: border-box;
    max-width: 100%;
  }
  pre {
    margin: 8px 0;
    padding: 8px;
    overflow-x: auto;
    background: var(--secondary-background-color);
    border-radius: 6px;
    font-size: 0.85rem;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  dl {
    display: grid;
    grid-template-columns: minmax(7rem, auto) 1fr;
    gap: 4px 12px;
    margin: 8px 0;
  }
  dt {
    color: var(--secondary-text-color);
  }
  dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
`;var he={brain_anthropic:"Anthropic",brain_builtin:"Eingebautes Gehirn",brain_ollama:"Ollama",brain_openai_compat:"OpenAI-kompatibler Server",cancel:"Abbrechen",decision_allow:"erlaubt",decision_ask:"fragt erst",decision_deny:"abgelehnt",decision_depends:"hängt von einer Bedingung ab",explain_arguments:"Werte, als JSON",explain_ask:"Sag es mir",explain_bad_arguments:"Die Werte müssen ein JSON-Objekt sein, etwa eine entity_id in geschweiften Klammern.",explain_title:"Was würde entschieden?",explain_tool:"Dienst oder Werkzeug",explain_who:"Wer fragt",filter_all:"Alle",filter_refused:"Nur Abgelehntes und Erfragtes",filter_tool:"Werkzeug",filter_who:"Wer gefragt hat",grant_allow:"Immer erlauben",grant_ask:"Immer fragen",house_agents:"Agenten, und wer für jeden denkt",house_cost:"In diesem Monat: {cost}.",house_used:"Heute: {tokens} Token in {calls} Aufrufen.",house_workers:"Worker",no:"Nein",origin_agent:"Andere Agenten",origin_ai_task:"KI-Aufgaben",origin_automation:"Automationen",origin_voice:"Sprachsatelliten",policy_changes:"Was du geändert hast",policy_denies_all:"Die Datei kann nicht benutzt werden, darum wird alles abgelehnt. Bring sie hier in Ordnung oder nimm die letzte Änderung zurück.",policy_drop:"Meine Änderungen verwerfen",policy_line:"Zeile {line}",policy_lints:"Hat keine Wirkung:",policy_not_in_force:"Die Datei wurde außerhalb geändert und gilt nicht. Lade sie mit der Aktion caesar.reload_policy neu.",policy_problems:"Das kann noch nicht gespeichert werden:",policy_saved:"Gespeichert, und es gilt.",policy_simulate:"An der letzten Woche ausprobieren",policy_text:"Text der Richtlinie",policy_undo:"Letzte Änderung zurücknehmen",policy_undone:"Die letzte Änderung ist zurückgenommen.",refused_lines:"Zeilen, die die Richtlinie bekäme",refused_none:"In den letzten sieben Tagen wurde nichts abgelehnt.",refused_once:"Einmal erlauben",refused_once_done:"Einmal erlaubt: Das gilt die nächsten fünf Minuten.",refused_saved:"Die Regel gilt.",refused_times:"{count}-mal",result_error:"fehlgeschlagen",result_interrupted:"unterbrochen",result_ok:"erledigt",result_running:"läuft",row_agent:"Agent und Worker",row_approved_by:"Beantwortet von",row_arguments:"Was verlangt wurde",row_no_rule:"Keine Regel",row_number:"Zeile und Gespräch",row_rule:"Regel",row_rule_line:"{rule}, Zeile {line}",row_rule_then:"{rule}, Zeile {line} einer früheren Richtlinie",row_tool:"Werkzeug",row_touched:"Was es berührt",row_why:"Warum",save:"Speichern",share:"Mit Assist teilen",share_all:"Alles, was mit Assist geteilt ist",share_confirm:"Teilen",share_done:"{name} ist geteilt.",share_title:"Nicht mit Assist geteilt",share_what:"Dann dürfen die Assistenten von Home Assistant und ihre Modelle es sehen. Was CAESAR damit tun darf, bestimmt weiter die Richtlinie.",share_why:"Danach wurde CAESAR gefragt und kommt nicht heran: Es ist nicht geteilt.",simulated_none:"Von {calls} Aufrufen in {days} Tagen wären alle gleich entschieden worden.",simulated_some:"Von {calls} Aufrufen in {days} Tagen wären {count} anders entschieden worden:",simulated_unknown:"{count} Aufrufe lassen sich nicht noch einmal beurteilen, weil Geheimnisse darin unkenntlich sind.",tab_house:"Worker und Gehirne",tab_policy:"Richtlinie",tab_refused:"Abgelehnt",tab_trail:"Was geschah",tab_waiting:"Wartet",trail_none:"Noch nichts.",verdict_approval:"erst gefragt",verdict_deny:"abgelehnt",verdict_pause:"Werkzeug pausiert",verdict_throttle:"zu oft",waiting_none:"Nichts wartet auf dich.",waiting_until:"Gefragt {since}, wartet bis {until}",worker_address:"Adresse",worker_changed:"Geändert, wartet in den Reparaturen auf dich",worker_error:"Letzter Fehler",worker_more:"Bietet außerdem an",worker_offline:"nicht da",worker_offline_help:"Seine Werkzeuge gehen erst wieder, wenn er zurück ist. CAESAR sieht alle 30 Sekunden nach.",worker_online:"läuft",worker_seen:"Zuletzt gesehen",worker_tools:"Werkzeuge",worker_version:"Version",yes:"Ja, mach das"};var ct={brain_anthropic:"Anthropic",brain_builtin:"Built-in brain",brain_ollama:"Ollama",brain_openai_compat:"OpenAI-compatible server",cancel:"Cancel",decision_allow:"allowed",decision_ask:"asks first",decision_deny:"refused",decision_depends:"depends on a condition",explain_arguments:"Values, as JSON",explain_ask:"Tell me",explain_bad_arguments:"The values must be a JSON object, such as an entity_id in braces.",explain_title:"What would be decided?",explain_tool:"Service or tool",explain_who:"Who asks",filter_all:"Everybody",filter_refused:"Only what was refused or asked about",filter_tool:"Tool",filter_who:"Who asked",grant_allow:"Always allow",grant_ask:"Always ask",house_agents:"Agents, and who thinks for each",house_cost:"This month: {cost}.",house_used:"Today: {tokens} tokens in {calls} calls.",house_workers:"Workers",no:"No",origin_agent:"Other agents",origin_ai_task:"AI tasks",origin_automation:"Automations",origin_voice:"Voice satellites",policy_changes:"What you changed",policy_denies_all:"The file can't be used, so everything is refused. Mend it here, or take the last change back.",policy_drop:"Drop my changes",policy_line:"Line {line}",policy_lints:"Has no effect:",policy_not_in_force:"The file was changed outside and is not in force. Reload it with the action caesar.reload_policy.",policy_problems:"This can't be saved yet:",policy_saved:"Saved, and in force.",policy_simulate:"Try it on the last week",policy_text:"Text of the policy",policy_undo:"Take the last change back",policy_undone:"The last change is taken back.",refused_lines:"Lines that the policy would get",refused_none:"Nothing was refused in the last seven days.",refused_once:"Allow it once",refused_once_done:"Allowed once: it counts for the next five minutes.",refused_saved:"The rule is in force.",refused_times:"{count} times",result_error:"failed",result_interrupted:"interrupted",result_ok:"done",result_running:"running",row_agent:"Agent and worker",row_approved_by:"Answered by",row_arguments:"What was asked",row_no_rule:"No rule",row_number:"Row and turn",row_rule:"Rule",row_rule_line:"{rule}, line {line}",row_rule_then:"{rule}, line {line} of an earlier policy",row_tool:"Tool",row_touched:"What it would touch",row_why:"Why",save:"Save",share:"Share it with Assist",share_all:"All that is shared with Assist",share_confirm:"Share it",share_done:"{name} is shared.",share_title:"Not shared with Assist",share_what:"Then Home Assistant's assistants and their models may see it. What CAESAR may do with it is still up to the policy.",share_why:"CAESAR was asked for these and can't reach them: they aren't shared.",simulated_none:"Of {calls} calls in {days} days all would have been decided the same.",simulated_some:"Of {calls} calls in {days} days {count} would have been decided differently:",simulated_unknown:"{count} calls can't be judged again, because secrets in them are starred out.",tab_house:"Workers and brains",tab_policy:"Policy",tab_refused:"Refused",tab_trail:"What happened",tab_waiting:"Waiting",trail_none:"Nothing yet.",verdict_approval:"asked first",verdict_deny:"refused",verdict_pause:"tool rests",verdict_throttle:"too often",waiting_none:"Nothing waits for you.",waiting_until:"Asked {since}, waits until {until}",worker_address:"Address",worker_changed:"Changed, waits for you in the repairs",worker_error:"Last error",worker_more:"Offers as well",worker_offline:"away",worker_offline_help:"Its tools can't be used until it is back. CAESAR looks for it every 30 seconds.",worker_online:"running",worker_seen:"Last seen",worker_tools:"Tools",worker_version:"Version",yes:"Yes, do it"};var je={de:he,en:ct};function K(r,t,e={}){return(je[r.split("-")[0]??"en"]??ct)[t].replace(/\{(\w+)\}/g,(s,n)=>String(e[n]??""))}function w(r,t,e){let i=`${t}_${e}`;return i in ct?K(r,i):e}function E(r,t){return new Date(t).toLocaleString(r,{day:"2-digit",month:"2-digit",hour:"2-digit",minute:"2-digit",second:"2-digit"})}function g(r,t,e={}){return r.connection.sendMessagePromise({type:`caesar/${t}`,...e})}function ce(r,t){let e=t;if(e.translation_domain&&e.translation_key){let i=r.localize(`component.${e.translation_domain}.exceptions.${e.translation_key}.message`,e.translation_placeholders);if(i)return i}return e.message??String(t)}var y=class extends S{static{this.properties={hass:{attribute:!1},failure:{state:!0}}}constructor(){super(),this.failure=""}changed(t){}firstUpdated(){this.attempt(()=>this.load())}say(t,e){return K(this.hass.language,t,e)}async attempt(t){try{let e=await t();return this.failure="",e}catch(e){this.failure=ce(this.hass,e);return}}},dt=class extends CustomEvent{constructor(t,e){super("open-tab",{detail:{tab:t,line:e},bubbles:!0,composed:!0})}};var It=class extends y{static{this.styles=v}static{this.properties={...y.properties,house:{state:!0}}}async load(){this.house=await g(this.hass,"house")}changed(){this.attempt(()=>this.load())}render(){return h`
      ${this.failure?h`<p class="failure" role="alert">${this.failure}</p>`:u}
      <h2>${this.say("house_agents")}</h2>
      ${this.house?.agents.map(t=>h`<section class="card">
            <p class="words"><strong>${t.title}</strong></p>
            <p class="words">${t.brains.map(e=>w(this.hass.language,"brain",e)).join(" → ")}</p>
            ${t.used?h`<p class="soft">
                  ${this.say("house_used",{tokens:t.used.tokens.toLocaleString(this.hass.language),calls:t.used.calls})}
                  ${t.used.cost===null?u:this.say("house_cost",{cost:t.used.cost.toLocaleString(this.hass.language,{style:"currency",currency:t.used.currency})})}
                </p>`:u}
          </section>`)}
      <h2>${this.say("house_workers")}</h2>
      ${this.house?.workers.map(t=>this.worker(t))}
    `}worker(t){let e=[[this.say("worker_tools"),t.tools.join(", ")||"–"],[this.say("worker_address"),t.url||"–"],[this.say("worker_version"),t.version??"–"]];t.last_seen&&e.push([this.say("worker_seen"),E(this.hass.language,t.last_seen)]),t.error&&e.push([this.say("worker_error"),t.error]),t.changed.length&&e.push([this.say("worker_changed"),t.changed.join(", ")]),t.more.length&&e.push([this.say("worker_more"),t.more.join(", ")]);for(let[i,s]of Object.entries(t.refused))e.push([i,s]);return h`<section class="card">
      <p class="words">
        <strong>${t.name}</strong> ·
        ${this.say(t.online?"worker_online":"worker_offline")}
      </p>
      <dl>
        ${e.map(([i,s])=>h`<dt>${i}</dt><dd>${s}</dd>`)}
      </dl>
      ${t.online?u:h`<p class="soft">${this.say("worker_offline_help")}</p>`}
    </section>`}};customElements.define("caesar-house",It);function ut(r,t){let e=r.split(`
`),i=t.split(`
`),s=0;for(;s<e.length&&s<i.length&&e[s]===i[s];)s+=1;let n=0;for(;n<e.length-s&&n<i.length-s&&e[e.length-1-n]===i[i.length-1-n];)n+=1;let o=l=>l>=0&&l<i.length?[{mark:" ",text:i[l]??""}]:[];return[...o(s-1),...e.slice(s,e.length-n).map(l=>({mark:"-",text:l})),...i.slice(s,i.length-n).map(l=>({mark:"+",text:l})),...o(i.length-n)]}var _t="ha-code-editor",qe=3e3,Fe=600,Lt=class extends y{constructor(){super();this.checking=0;this.text="",this.editor=customElements.get(_t)!==void 0,this.problems=[],this.lints=[],this.said=""}static{this.styles=[v,$`
      textarea,
      ha-code-editor {
        width: 100%;
      }
      textarea {
        min-height: 24rem;
        font-family: var(--ha-font-family-code, monospace);
      }
      .editor {
        display: block;
        max-height: 60vh;
        overflow: auto;
        margin-bottom: 12px;
        border: 1px solid var(--divider-color);
        border-radius: 6px;
      }
      .below {
        margin: 12px 0;
      }
      ul {
        padding-left: 1.2rem;
      }
    `]}static{this.properties={...y.properties,line:{attribute:!1},policy:{state:!0},text:{state:!0},editor:{state:!0},problems:{state:!0},lints:{state:!0},simulation:{state:!0},explanation:{state:!0},house:{state:!0},said:{state:!0}}}disconnectedCallback(){super.disconnectedCallback(),window.clearTimeout(this.checking)}async load(){this.house??=await g(this.hass,"house"),this.policy=await g(this.hass,"policy"),this.text=this.policy.text,this.simulation=void 0,await this.check(),await Promise.race([customElements.whenDefined(_t),new Promise(i=>window.setTimeout(i,qe))]),this.editor=customElements.get(_t)!==void 0,await this.updateComplete,(await this.codemirror())?.contentDOM.setAttribute("aria-label",this.say("policy_text")),this.line&&await this.show(this.line)}updated(e){e.has("line")&&this.line&&this.policy&&this.show(this.line)}render(){let e=this.policy,i=e?.text===this.text;return h`
      ${this.failure?h`<p class="failure" role="alert">${this.failure}</p>`:u}
      <div aria-live="polite">${this.said?h`<p class="good">${this.said}</p>`:u}</div>
      ${e?.denies_all?h`<p class="failure" role="alert">${this.say("policy_denies_all")}</p>`:e&&!e.in_force?h`<p class="failure" role="alert">${this.say("policy_not_in_force")}</p>`:u}
      ${e?this.editing():u}
      <div aria-live="polite">
        ${this.faults(this.problems,"policy_problems","failure")}
        ${this.faults(this.lints,"policy_lints","soft")}
      </div>
      <div class="line">
        <button
          class="main"
          ?disabled=${i||this.problems.length>0}
          @click=${()=>this.save()}
        >
          ${this.say("save")}
        </button>
        <button ?disabled=${i} @click=${()=>this.attempt(()=>this.load())}>
          ${this.say("policy_drop")}
        </button>
        <button ?disabled=${this.problems.length>0} @click=${()=>this.simulate()}>
          ${this.say("policy_simulate")}
        </button>
        <button ?disabled=${!e?.can_undo||!i} @click=${()=>this.undo()}>
          ${this.say("policy_undo")}
        </button>
      </div>
      ${i||!e?u:this.changes(e)}
      ${this.simulation?this.simulated(this.simulation):u} ${this.explaining()}
    `}editing(){return this.editor?h`<ha-code-editor
          class="editor"
          mode="yaml"
          autocomplete-entities
          .hass=${this.hass}
          .value=${this.text}
          @value-changed=${e=>{e.stopPropagation(),this.typed(e.detail.value)}}
        ></ha-code-editor>`:h`<label
          >${this.say("policy_text")}<textarea
            spellcheck="false"
            .value=${this.text}
            @input=${e=>this.typed(e.target.value)}
          ></textarea>
        </label>`}changes(e){return h`<h2>${this.say("policy_changes")}</h2>
      <pre tabindex="0" aria-label=${this.say("policy_changes")}>${ut(e.text,this.text).map(i=>`${i.mark} ${i.text}`).join(`
`)}</pre>`}faults(e,i,s){return e.length===0?u:h`<div class=${s} role=${s==="failure"?"alert":u}>
      <strong>${this.say(i)}</strong>
      <ul>
        ${e.map(n=>h`<li class="words">
              <button class="link" @click=${()=>this.show(n.line)}>
                ${this.say("policy_line",{line:n.line})}</button
              >: ${n.message}
              <span class="soft">${(this.text.split(`
`)[n.line-1]??"").trim()}</span>
            </li>`)}
      </ul>
    </div>`}simulated(e){return h`<section class="card" aria-live="polite">
      <p>
        ${this.say(e.changed_count?"simulated_some":"simulated_none",{count:e.changed_count,calls:e.calls,days:e.days})}
      </p>
      <ul>
        ${e.changed.map(i=>h`<li class="words">
              ${i.tool} ${i.entities.join(", ")}:
              ${w(this.hass.language,"decision",i.before)} →
              ${w(this.hass.language,"decision",i.after)}
            </li>`)}
      </ul>
      ${e.unknown?h`<p class="soft">${this.say("simulated_unknown",{count:e.unknown})}</p>`:u}
    </section>`}explaining(){let e=this.explanation;return h`<h2>${this.say("explain_title")}</h2>
      <form class="card" @submit=${this.explain}>
        <div class="line">
          <label class="grow"
            >${this.say("explain_who")}
            <select name="who">
              ${this.house?.people.map(i=>h`<option
                    value=${i.user_id}
                    ?selected=${i.user_id===this.hass.user.id}
                  >
                    ${i.name}
                  </option>`)}
              <option value="">${this.say("origin_automation")}</option>
            </select>
          </label>
          <label class="grow"
            >${this.say("explain_tool")}
            <input name="tool" required maxlength="128" placeholder="lock.unlock" />
          </label>
        </div>
        <label class="below"
          >${this.say("explain_arguments")}
          <input name="arguments" placeholder='{"entity_id": "lock.front_door"}' />
        </label>
        <p><button>${this.say("explain_ask")}</button></p>
        <div aria-live="polite">
          ${e?h`<p class="words">
                  <strong>${w(this.hass.language,"decision",e.verdict)}</strong>
                  ${e.reason}
                </p>
                ${e.rule?h`<p>
                      <button
                        class="link"
                        type="button"
                        @click=${()=>this.show(e.line??1)}
                      >
                        ${this.say("row_rule_line",{rule:e.rule,line:e.line??""})}
                      </button>
                    </p>`:u}`:u}
        </div>
      </form>`}typed(e){this.text=e,this.said="",window.clearTimeout(this.checking),this.checking=window.setTimeout(()=>{this.attempt(()=>this.check())},Fe)}async check(){let e=this.text,i=await g(this.hass,"policy/check",{text:e});e===this.text&&(this.problems=i.problems,this.lints=i.lints)}async save(){let e=this.text;await this.attempt(()=>g(this.hass,"policy/save",{text:e,revision:this.policy?.revision??null}))&&(await this.attempt(()=>this.load()),this.said=this.say("policy_saved"))}async undo(){await this.attempt(()=>g(this.hass,"policy/undo"))&&(await this.attempt(()=>this.load()),this.said=this.say("policy_undone"))}async simulate(){this.simulation=await this.attempt(()=>g(this.hass,"policy/simulate",{text:this.text}))}async explain(e){e.preventDefault();let i=new FormData(e.target),s=String(i.get("arguments")??"").trim(),n={};try{n=s?JSON.parse(s):{}}catch{n=null}if(typeof n!="object"||n===null||Array.isArray(n)){this.failure=this.say("explain_bad_arguments");return}let o=String(i.get("who")??"");this.explanation=await this.attempt(()=>g(this.hass,"explain",{tool:String(i.get("tool")),arguments:n,language:this.hass.language,...o?{user_id:o}:{}}))}async show(e){await this.updateComplete;let i=this.renderRoot.querySelector("textarea");if(i){let o=this.text.split(`
`),l=o.slice(0,e-1).join(`
`).length+(e>1?1:0);i.focus(),i.setSelectionRange(l,l+(o[e-1]?.length??0));return}let s=await this.codemirror();if(!s||e>s.state.doc.lines)return;let n=s.state.doc.line(e);s.dispatch({selection:{anchor:n.from,head:n.to},scrollIntoView:!0}),s.focus()}async codemirror(){let e=this.renderRoot.querySelector(_t);for(let i=0;e&&!e.codemirror&&i<30;i+=1)await new Promise(s=>window.setTimeout(s,100));return e?.codemirror}};customElements.define("caesar-policy",Lt);var Ge="/config/voice-assistants/expose",Dt=class extends y{static{this.styles=[v,$`
      .new {
        color: var(--primary-text-color);
        font-weight: 600;
      }
      a {
        color: inherit;
      }
    `]}static{this.properties={...y.properties,refused:{state:!0},draft:{state:!0},said:{state:!0},unshared:{state:!0},sharing:{state:!0}}}constructor(){super(),this.said="",this.unshared=[],this.sharing=""}async load(){this.refused=await g(this.hass,"refused",{language:this.hass.language}),this.unshared=await g(this.hass,"unshared")}render(){return h`
      ${this.failure?h`<p class="failure" role="alert">${this.failure}</p>`:u}
      <div aria-live="polite">${this.said?h`<p class="good">${this.said}</p>`:u}</div>
      ${this.refused?.length===0&&this.unshared.length===0?h`<p class="card">${this.say("refused_none")}</p>`:this.refused?.map(t=>this.refusal(t))}
      ${this.unshared.length===0?u:this.notShared()}
    `}notShared(){return h`
      <h2>${this.say("share_title")}</h2>
      <p class="soft">
        ${this.say("share_why")} <a href=${Ge}>${this.say("share_all")}</a>
      </p>
      ${this.unshared.map(t=>h`
          <section class="card">
            <p class="words"><strong>${t.name}</strong></p>
            <p class="soft words">
              ${t.entity_id}${t.count>1?` · ${this.say("refused_times",{count:t.count})}`:""}
            </p>
            ${this.sharing===t.entity_id?h`<p>${this.say("share_what")}</p>
                  <div class="line">
                    <button class="main" @click=${()=>this.share(t)}>
                      ${this.say("share_confirm")}
                    </button>
                    <button @click=${()=>this.sharing=""}>${this.say("cancel")}</button>
                  </div>`:h`<div class="line">
                  <button @click=${()=>this.sharing=t.entity_id}>
                    ${this.say("share")}
                  </button>
                </div>`}
          </section>
        `)}
    `}refusal(t){let e=this.draft?.seq===t.seq?this.draft.draft:void 0;return h`
      <section class="card">
        <p class="words"><strong>${t.who}</strong>: ${t.action}</p>
        <p class="soft">
          ${E(this.hass.language,t.when)}${t.count>1?` · ${this.say("refused_times",{count:t.count})}`:""}
        </p>
        <p class="words">${t.why}</p>
        ${t.note?h`<p class="soft words">${t.note}</p>`:u}
        ${e?this.proposed(t,e):this.choices(t)}
      </section>
    `}choices(t){return h`
      <div class="line">
        ${t.once?h`<button @click=${()=>this.once(t)}>${this.say("refused_once")}</button>`:u}
        ${t.grants.map(e=>h`<button @click=${()=>this.propose(t,e)}>
              ${w(this.hass.language,"grant",e)}
            </button>`)}
      </div>
    `}proposed(t,e){return h`
      <p>${e.note}</p>
      <pre tabindex="0" aria-label=${this.say("refused_lines")}>${ut(e.before,e.text).map(i=>i.mark===" "?h`  ${i.text}\n`:h`<span class="new">${i.mark} ${i.text}</span>\n`)}</pre>
      <div class="line">
        <button class="main" @click=${()=>this.save(t,e)}>${this.say("save")}</button>
        <button @click=${()=>this.draft=void 0}>${this.say("cancel")}</button>
      </div>
    `}async propose(t,e){this.said="";let i=await this.attempt(()=>g(this.hass,"refused/rule",{seq:t.seq,grant:e,language:this.hass.language}));i&&(this.draft={seq:t.seq,draft:i})}async save(t,e){await this.attempt(()=>g(this.hass,"policy/save",{text:e.text,revision:e.revision,denial:t.seq}))&&(this.draft=void 0,this.said=this.say("refused_saved"),await this.attempt(()=>this.load()))}async share(t){await this.attempt(()=>g(this.hass,"unshared/share",{entity_id:t.entity_id}))&&(this.sharing="",this.said=this.say("share_done",{name:t.name}),await this.attempt(()=>this.load()))}async once(t){await this.attempt(()=>g(this.hass,"refused/once",{seq:t.seq}))&&(this.said=this.say("refused_once_done"))}};customElements.define("caesar-refused",Dt);/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var V={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},J=r=>(...t)=>({_$litDirective$:r,values:t}),O=class{constructor(t){}get _$AU(){return this._$AM._$AU}_$AT(t,e,i){this._$Ct=t,this._$AM=e,this._$Ci=i}_$AS(t,e){return this.update(t,e)}update(t,e){return this.render(...e)}};/**
 * @license
 * Copyright 2020 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var{I:Ke}=ae,de=r=>r;var _e=r=>r.strings===void 0,ue=()=>document.createComment(""),H=(r,t,e)=>{let i=r._$AA.parentNode,s=t===void 0?r._$AB:t._$AA;if(e===void 0){let n=i.insertBefore(ue(),s),o=i.insertBefore(ue(),s);e=new Ke(n,o,r,r.options)}else{let n=e._$AB.nextSibling,o=e._$AM,l=o!==r;if(l){let a;e._$AQ?.(r),e._$AM=r,e._$AP!==void 0&&(a=r._$AU)!==o._$AU&&e._$AP(a)}if(n!==s||l){let a=e._$AA;for(;a!==n;){let c=de(a).nextSibling;de(i).insertBefore(a,s),a=c}}}return e},z=(r,t,e=r)=>(r._$AI(t,e),r),Je={},pe=(r,t=Je)=>r._$AH=t,me=r=>r._$AH,pt=r=>{r._$AR(),r._$AA.remove()};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Z=(r,t)=>{let e=r._$AN;if(e===void 0)return!1;for(let i of e)i._$AO?.(t,!1),Z(i,t);return!0},mt=r=>{let t,e;do{if((t=r._$AM)===void 0)break;e=t._$AN,e.delete(r),r=t}while(e?.size===0)},ge=r=>{for(let t;t=r._$AM;r=t){let e=t._$AN;if(e===void 0)t._$AN=e=new Set;else if(e.has(r))break;e.add(r),Qe(t)}};function Ze(r){this._$AN!==void 0?(mt(this),this._$AM=r,ge(this)):this._$AM=r}function Ye(r,t=!1,e=0){let i=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(i))for(let n=e;n<i.length;n++)Z(i[n],!1),mt(i[n]);else i!=null&&(Z(i,!1),mt(i));else Z(this,r)}var Qe=r=>{r.type==V.CHILD&&(r._$AP??=Ye,r._$AQ??=Ze)},gt=class extends O{constructor(){super(...arguments),this._$AN=void 0}_$AT(t,e,i){super._$AT(t,e,i),ge(this),this.isConnected=t._$AU}_$AO(t,e=!0){t!==this.isConnected&&(this.isConnected=t,t?this.reconnected?.():this.disconnected?.()),e&&(Z(this,t),mt(this))}setValue(t){if(_e(this._$Ct))this._$Ct._$AI(t,this);else{let e=[...this._$Ct._$AH];e[this._$Ci]=t,this._$Ct._$AI(e,this,0)}}disconnected(){}reconnected(){}};/**
 * @license
 * Copyright 2017 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var fe=(r,t,e)=>{let i=new Map;for(let s=t;s<=e;s++)i.set(r[s],s);return i},ye=J(class extends O{constructor(r){if(super(r),r.type!==V.CHILD)throw Error("repeat() can only be used in text expressions")}dt(r,t,e){let i;e===void 0?e=t:t!==void 0&&(i=t);let s=[],n=[],o=0;for(let l of r)s[o]=i?i(l,o):o,n[o]=e(l,o),o++;return{values:n,keys:s}}render(r,t,e){return this.dt(r,t,e).values}update(r,[t,e,i]){let s=me(r),{values:n,keys:o}=this.dt(t,e,i);if(!Array.isArray(s))return this.ut=o,n;let l=this.ut??=[],a=[],c,_,d=0,m=s.length-1,p=0,f=n.length-1;for(;d<=m&&p<=f;)if(s[d]===null)d++;else if(s[m]===null)m--;else if(l[d]===o[p])a[p]=z(s[d],n[p]),d++,p++;else if(l[m]===o[f])a[f]=z(s[m],n[f]),m--,f--;else if(l[d]===o[f])a[f]=z(s[d],n[f]),H(r,a[f+1],s[d]),d++,f--;else if(l[m]===o[p])a[p]=z(s[m],n[p]),H(r,s[d],s[m]),m--,p++;else if(c===void 0&&(c=fe(o,p,f),_=fe(l,d,m)),c.has(l[d]))if(c.has(l[m])){let b=_.get(o[p]),U=b!==void 0?s[b]:null;if(U===null){let A=H(r,s[d]);z(A,n[p]),a[p]=A}else a[p]=z(U,n[p]),H(r,s[d],U),s[b]=null;p++}else pt(s[m]),m--;else pt(s[d]),d++;for(;p<=f;){let b=H(r,a[f+1]);z(b,n[p]),a[p++]=b}for(;d<=m;){let b=s[d++];b!==null&&pt(b)}return this.ut=o,pe(r,a),x}});/**
 * @license
 * Copyright 2021 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Y=class r extends Event{constructor(t){super(r.eventName,{bubbles:!1}),this.first=t.first,this.last=t.last}};Y.eventName="rangeChanged";var Q=class r extends Event{constructor(t){super(r.eventName,{bubbles:!1}),this.first=t.first,this.last=t.last}};Q.eventName="visibilityChanged";var X=class r extends Event{constructor(){super(r.eventName,{bubbles:!1})}};X.eventName="unpinned";/**
 * @license
 * Copyright 2021 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Ot=class{constructor(t){this._element=null;let e=t??window;this._node=e,t&&(this._element=t)}get element(){return this._element||document.scrollingElement||document.documentElement}get scrollTop(){return this.element.scrollTop||window.scrollY}get scrollLeft(){return this.element.scrollLeft||window.scrollX}get scrollHeight(){return this.element.scrollHeight}get scrollWidth(){return this.element.scrollWidth}get viewportHeight(){return this._element?this._element.getBoundingClientRect().height:window.innerHeight}get viewportWidth(){return this._element?this._element.getBoundingClientRect().width:window.innerWidth}get maxScrollTop(){return this.scrollHeight-this.viewportHeight}get maxScrollLeft(){return this.scrollWidth-this.viewportWidth}},ft=class extends Ot{constructor(t,e){super(e),this._clients=new Set,this._retarget=null,this._end=null,this.__destination=null,this.correctingScrollError=!1,this._checkForArrival=this._checkForArrival.bind(this),this._updateManagedScrollTo=this._updateManagedScrollTo.bind(this),this.scrollTo=this.scrollTo.bind(this),this.scrollBy=this.scrollBy.bind(this);let i=this._node;this._originalScrollTo=i.scrollTo,this._originalScrollBy=i.scrollBy,this._originalScroll=i.scroll,this._attach(t)}get _destination(){return this.__destination}get scrolling(){return this._destination!==null}scrollTo(t,e){let i=typeof t=="number"&&typeof e=="number"?{left:t,top:e}:t;this._scrollTo(i)}scrollBy(t,e){let i=typeof t=="number"&&typeof e=="number"?{left:t,top:e}:t;i.top!==void 0&&(i.top+=this.scrollTop),i.left!==void 0&&(i.left+=this.scrollLeft),this._scrollTo(i)}_nativeScrollTo(t){this._originalScrollTo.bind(this._element||window)(t)}_scrollTo(t,e=null,i=null){this._end!==null&&this._end(),t.behavior==="smooth"?(this._setDestination(t),this._retarget=e,this._end=i):this._resetScrollState(),this._nativeScrollTo(t)}_setDestination(t){let{top:e,left:i}=t;return e=e===void 0?void 0:Math.max(0,Math.min(e,this.maxScrollTop)),i=i===void 0?void 0:Math.max(0,Math.min(i,this.maxScrollLeft)),this._destination!==null&&i===this._destination.left&&e===this._destination.top?!1:(this.__destination={top:e,left:i,behavior:"smooth"},!0)}_resetScrollState(){this.__destination=null,this._retarget=null,this._end=null}_updateManagedScrollTo(t){this._destination&&this._setDestination(t)&&this._nativeScrollTo(this._destination)}managedScrollTo(t,e,i){return this._scrollTo(t,e,i),this._updateManagedScrollTo}correctScrollError(t){this.correctingScrollError=!0,requestAnimationFrame(()=>requestAnimationFrame(()=>this.correctingScrollError=!1)),this._nativeScrollTo(t),this._retarget&&this._setDestination(this._retarget()),this._destination&&this._nativeScrollTo(this._destination)}_checkForArrival(){if(this._destination!==null){let{scrollTop:t,scrollLeft:e}=this,{top:i,left:s}=this._destination;i=Math.min(i||0,this.maxScrollTop),s=Math.min(s||0,this.maxScrollLeft);let n=Math.abs(i-t),o=Math.abs(s-e);n<1&&o<1&&(this._end&&this._end(),this._resetScrollState())}}detach(t){return this._clients.delete(t),this._clients.size===0&&(this._node.scrollTo=this._originalScrollTo,this._node.scrollBy=this._originalScrollBy,this._node.scroll=this._originalScroll,this._node.removeEventListener("scroll",this._checkForArrival)),null}_attach(t){this._clients.add(t),this._clients.size===1&&(this._node.scrollTo=this.scrollTo,this._node.scrollBy=this.scrollBy,this._node.scroll=this.scrollTo,this._node.addEventListener("scroll",this._checkForArrival))}};/**
 * @license
 * Copyright 2021 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var Se=typeof window<"u"?window.ResizeObserver:void 0;var Ce=Symbol("virtualizerRef"),wt="virtualizer-sizer",Ae,$t=class{constructor(t){if(this._benchmarkStart=null,this._layout=null,this._clippingAncestors=[],this._scrollSize=null,this._scrollError=null,this._childrenPos=null,this._childMeasurements=null,this._toBeMeasured=new Map,this._rangeChanged=!0,this._itemsChanged=!0,this._visibilityChanged=!0,this._scrollerController=null,this._isScroller=!1,this._sizer=null,this._hostElementRO=null,this._childrenRO=null,this._mutationObserver=null,this._scrollEventListeners=[],this._scrollEventListenerOptions={passive:!0},this._loadListener=this._childLoaded.bind(this),this._scrollIntoViewTarget=null,this._updateScrollIntoViewCoordinates=null,this._items=[],this._first=-1,this._last=-1,this._firstVisible=-1,this._lastVisible=-1,this._scheduled=new WeakSet,this._measureCallback=null,this._measureChildOverride=null,this._layoutCompletePromise=null,this._layoutCompleteResolver=null,this._layoutCompleteRejecter=null,this._pendingLayoutComplete=null,this._layoutInitialized=null,this._connected=!1,!t)throw new Error("Virtualizer constructor requires a configuration object");if(t.hostElement)this._init(t);else throw new Error('Virtualizer configuration requires the "hostElement" property')}set items(t){Array.isArray(t)&&t!==this._items&&(this._itemsChanged=!0,this._items=t,this._schedule(this._updateLayout))}_init(t){this._isScroller=!!t.scroller,this._initHostElement(t);let e=t.layout||{};this._layoutInitialized=this._initLayout(e)}_initObservers(){this._mutationObserver=new MutationObserver(this._finishDOMUpdate.bind(this)),this._hostElementRO=new Se(()=>this._hostElementSizeChanged()),this._childrenRO=new Se(this._childrenSizeChanged.bind(this))}_initHostElement(t){let e=this._hostElement=t.hostElement;this._applyVirtualizerStyles(),e[Ce]=this}connected(){this._initObservers();let t=this._isScroller;this._clippingAncestors=ni(this._hostElement,t),this._scrollerController=new ft(this,this._clippingAncestors[0]),this._schedule(this._updateLayout),this._observeAndListen(),this._connected=!0}_observeAndListen(){this._mutationObserver.observe(this._hostElement,{childList:!0}),this._hostElementRO.observe(this._hostElement),this._scrollEventListeners.push(window),window.addEventListener("scroll",this,this._scrollEventListenerOptions),this._clippingAncestors.forEach(t=>{t.addEventListener("scroll",this,this._scrollEventListenerOptions),this._scrollEventListeners.push(t),this._hostElementRO.observe(t)}),this._hostElementRO.observe(this._scrollerController.element),this._children.forEach(t=>this._childrenRO.observe(t)),this._scrollEventListeners.forEach(t=>t.addEventListener("scroll",this,this._scrollEventListenerOptions))}disconnected(){this._scrollEventListeners.forEach(t=>t.removeEventListener("scroll",this,this._scrollEventListenerOptions)),this._scrollEventListeners=[],this._clippingAncestors=[],this._scrollerController?.detach(this),this._scrollerController=null,this._mutationObserver?.disconnect(),this._mutationObserver=null,this._hostElementRO?.disconnect(),this._hostElementRO=null,this._childrenRO?.disconnect(),this._childrenRO=null,this._rejectLayoutCompletePromise("disconnected"),this._connected=!1}_applyVirtualizerStyles(){let e=this._hostElement.style;e.display=e.display||"block",e.position=e.position||"relative",e.contain=e.contain||"size layout",this._isScroller&&(e.overflow=e.overflow||"auto",e.minHeight=e.minHeight||"150px")}_getSizer(){let t=this._hostElement;if(!this._sizer){let e=t.querySelector(`[${wt}]`);e||(e=document.createElement("div"),e.setAttribute(wt,""),t.appendChild(e)),Object.assign(e.style,{position:"absolute",margin:"-2px 0 0 0",padding:0,visibility:"hidden",fontSize:"2px"}),e.textContent="&nbsp;",e.setAttribute(wt,""),this._sizer=e}return this._sizer}async updateLayoutConfig(t){await this._layoutInitialized;let e=t.type||Ae;if(typeof e=="function"&&this._layout instanceof e){let i={...t};return delete i.type,this._layout.config=i,!0}return!1}async _initLayout(t){let e,i;if(typeof t.type=="function"){i=t.type;let s={...t};delete s.type,e=s}else e=t;i===void 0&&(Ae=i=(await Promise.resolve().then(()=>(xe(),$e))).FlowLayout),this._layout=new i(s=>this._handleLayoutMessage(s),e),this._layout.measureChildren&&typeof this._layout.updateItemSizes=="function"&&(typeof this._layout.measureChildren=="function"&&(this._measureChildOverride=this._layout.measureChildren),this._measureCallback=this._layout.updateItemSizes.bind(this._layout)),this._layout.listenForChildLoadEvents&&this._hostElement.addEventListener("load",this._loadListener,!0),this._schedule(this._updateLayout)}startBenchmarking(){this._benchmarkStart===null&&(this._benchmarkStart=window.performance.now())}stopBenchmarking(){if(this._benchmarkStart!==null){let t=window.performance.now(),e=t-this._benchmarkStart,s=performance.getEntriesByName("uv-virtualizing","measure").filter(n=>n.startTime>=this._benchmarkStart&&n.startTime<t).reduce((n,o)=>n+o.duration,0);return this._benchmarkStart=null,{timeElapsed:e,virtualizationTime:s}}return null}_measureChildren(){let t={},e=this._children,i=this._measureChildOverride||this._measureChild;for(let s=0;s<e.length;s++){let n=e[s],o=this._first+s;(this._itemsChanged||this._toBeMeasured.has(n))&&(t[o]=i.call(this,n,this._items[o]))}this._childMeasurements=t,this._schedule(this._updateLayout),this._toBeMeasured.clear()}_measureChild(t){let{width:e,height:i}=t.getBoundingClientRect();return Object.assign({width:e,height:i},si(t))}async _schedule(t){this._scheduled.has(t)||(this._scheduled.add(t),await Promise.resolve(),this._scheduled.delete(t),t.call(this))}async _updateDOM(t){this._scrollSize=t.scrollSize,this._adjustRange(t.range),this._childrenPos=t.childPositions,this._scrollError=t.scrollError||null;let{_rangeChanged:e,_itemsChanged:i}=this;this._visibilityChanged&&(this._notifyVisibility(),this._visibilityChanged=!1),(e||i)&&(this._notifyRange(),this._rangeChanged=!1),this._finishDOMUpdate()}_finishDOMUpdate(){this._connected&&(this._children.forEach(t=>this._childrenRO.observe(t)),this._checkScrollIntoViewTarget(this._childrenPos),this._positionChildren(this._childrenPos),this._sizeHostElement(this._scrollSize),this._correctScrollError(),this._benchmarkStart&&"mark"in window.performance&&window.performance.mark("uv-end"))}_updateLayout(){this._layout&&this._connected&&(this._layout.items=this._items,this._updateView(),this._childMeasurements!==null&&(this._measureCallback&&this._measureCallback(this._childMeasurements),this._childMeasurements=null),this._layout.reflowIfNeeded(),this._benchmarkStart&&"mark"in window.performance&&window.performance.mark("uv-end"))}_handleScrollEvent(){if(this._benchmarkStart&&"mark"in window.performance){try{window.performance.measure("uv-virtualizing","uv-start","uv-end")}catch(t){console.warn("Error measuring performance data: ",t)}window.performance.mark("uv-start")}this._scrollerController.correctingScrollError===!1&&this._layout?.unpin(),this._schedule(this._updateLayout)}handleEvent(t){t.type==="scroll"?(t.currentTarget===window||this._clippingAncestors.includes(t.currentTarget))&&this._handleScrollEvent():console.warn("event not handled",t)}_handleLayoutMessage(t){t.type==="stateChanged"?this._updateDOM(t):t.type==="visibilityChanged"?(this._firstVisible=t.firstVisible,this._lastVisible=t.lastVisible,this._notifyVisibility()):t.type==="unpinned"&&this._hostElement.dispatchEvent(new X)}get _children(){let t=[],e=this._hostElement.firstElementChild;for(;e;)e.hasAttribute(wt)||t.push(e),e=e.nextElementSibling;return t}_updateView(){let t=this._hostElement,e=this._scrollerController?.element,i=this._layout;if(t&&e&&i){let s,n,o,l,a=t.getBoundingClientRect();s=0,n=0,o=window.innerHeight,l=window.innerWidth;let c=this._clippingAncestors.map(A=>A.getBoundingClientRect());c.unshift(a);for(let A of c)s=Math.max(s,A.top),n=Math.max(n,A.left),o=Math.min(o,A.bottom),l=Math.min(l,A.right);let _=e.getBoundingClientRect(),d={left:a.left-_.left,top:a.top-_.top},m={width:e.scrollWidth,height:e.scrollHeight},p=s-a.top+t.scrollTop,f=n-a.left+t.scrollLeft,b=Math.max(0,o-s),U=Math.max(0,l-n);i.viewportSize={width:U,height:b},i.viewportScroll={top:p,left:f},i.totalScrollSize=m,i.offsetWithinScroller=d}}_sizeHostElement(t){let i=t&&t.width!==null?Math.min(82e5,t.width):0,s=t&&t.height!==null?Math.min(82e5,t.height):0;if(this._isScroller)this._getSizer().style.transform=`translate(${i}px, ${s}px)`;else{let n=this._hostElement.style;n.minWidth=i?`${i}px`:"100%",n.minHeight=s?`${s}px`:"100%"}}_positionChildren(t){t&&t.forEach(({top:e,left:i,width:s,height:n,xOffset:o,yOffset:l},a)=>{let c=this._children[a-this._first];c&&(c.style.position="absolute",c.style.boxSizing="border-box",c.style.transform=`translate(${i}px, ${e}px)`,s!==void 0&&(c.style.width=s+"px"),n!==void 0&&(c.style.height=n+"px"),c.style.left=o===void 0?null:o+"px",c.style.top=l===void 0?null:l+"px")})}async _adjustRange(t){let{_first:e,_last:i,_firstVisible:s,_lastVisible:n}=this;this._first=t.first,this._last=t.last,this._firstVisible=t.firstVisible,this._lastVisible=t.lastVisible,this._rangeChanged=this._rangeChanged||this._first!==e||this._last!==i,this._visibilityChanged=this._visibilityChanged||this._firstVisible!==s||this._lastVisible!==n}_correctScrollError(){if(this._scrollError){let{scrollTop:t,scrollLeft:e}=this._scrollerController,{top:i,left:s}=this._scrollError;this._scrollError=null,this._scrollerController.correctScrollError({top:t-i,left:e-s})}}element(t){return t===1/0&&(t=this._items.length-1),this._items?.[t]===void 0?void 0:{scrollIntoView:(e={})=>this._scrollElementIntoView({...e,index:t})}}_scrollElementIntoView(t){if(t.index>=this._first&&t.index<=this._last)this._children[t.index-this._first].scrollIntoView(t);else if(t.index=Math.min(t.index,this._items.length-1),t.behavior==="smooth"){let e=this._layout.getScrollIntoViewCoordinates(t),{behavior:i}=t;this._updateScrollIntoViewCoordinates=this._scrollerController.managedScrollTo(Object.assign(e,{behavior:i}),()=>this._layout.getScrollIntoViewCoordinates(t),()=>this._scrollIntoViewTarget=null),this._scrollIntoViewTarget=t}else this._layout.pin=t}_checkScrollIntoViewTarget(t){let{index:e}=this._scrollIntoViewTarget||{};e&&t?.has(e)&&this._updateScrollIntoViewCoordinates(this._layout.getScrollIntoViewCoordinates(this._scrollIntoViewTarget))}_notifyRange(){this._hostElement.dispatchEvent(new Y({first:this._first,last:this._last}))}_notifyVisibility(){this._hostElement.dispatchEvent(new Q({first:this._firstVisible,last:this._lastVisible}))}get layoutComplete(){return this._layoutCompletePromise||(this._layoutCompletePromise=new Promise((t,e)=>{this._layoutCompleteResolver=t,this._layoutCompleteRejecter=e})),this._layoutCompletePromise}_rejectLayoutCompletePromise(t){this._layoutCompleteRejecter!==null&&this._layoutCompleteRejecter(t),this._resetLayoutCompleteState()}_scheduleLayoutComplete(){this._layoutCompletePromise&&this._pendingLayoutComplete===null&&(this._pendingLayoutComplete=requestAnimationFrame(()=>requestAnimationFrame(()=>this._resolveLayoutCompletePromise())))}_resolveLayoutCompletePromise(){this._layoutCompleteResolver!==null&&this._layoutCompleteResolver(),this._resetLayoutCompleteState()}_resetLayoutCompleteState(){this._layoutCompletePromise=null,this._layoutCompleteResolver=null,this._layoutCompleteRejecter=null,this._pendingLayoutComplete=null}_hostElementSizeChanged(){this._schedule(this._updateLayout)}_childLoaded(){}_childrenSizeChanged(t){if(this._layout?.measureChildren){for(let e of t)this._toBeMeasured.set(e.target,e.contentRect);this._measureChildren()}this._scheduleLayoutComplete(),this._itemsChanged=!1,this._rangeChanged=!1}};function si(r){let t=window.getComputedStyle(r);return{marginTop:bt(t.marginTop),marginRight:bt(t.marginRight),marginBottom:bt(t.marginBottom),marginLeft:bt(t.marginLeft)}}function bt(r){let t=r?parseFloat(r):NaN;return Number.isNaN(t)?0:t}function ke(r){if(r.assignedSlot!==null)return r.assignedSlot;if(r.parentElement!==null)return r.parentElement;let t=r.parentNode;return t&&t.nodeType===Node.DOCUMENT_FRAGMENT_NODE&&t.host||null}function ri(r,t=!1){let e=[],i=t?r:ke(r);for(;i!==null;)e.push(i),i=ke(i);return e}function ni(r,t=!1){let e=!1;return ri(r,t).filter(i=>{if(e)return!1;let s=getComputedStyle(i);return e=s.position==="fixed",s.overflow!=="visible"})}/**
 * @license
 * Copyright 2021 Google LLC
 * SPDX-License-Identifier: BSD-3-Clause
 */var oi=r=>r,ai=(r,t)=>h`${t}: ${JSON.stringify(r,null,2)}`,Nt=class extends gt{constructor(t){if(super(t),this._virtualizer=null,this._first=0,this._last=-1,this._renderItem=(e,i)=>ai(e,i+this._first),this._keyFunction=(e,i)=>oi(e,i+this._first),this._items=[],t.type!==V.CHILD)throw new Error("The virtualize directive can only be used in child expressions")}render(t){t&&this._setFunctions(t);let e=[];if(this._first>=0&&this._last>=this._first)for(let i=this._first;i<=this._last;i++)e.push(this._items[i]);return ye(e,this._keyFunction,this._renderItem)}update(t,[e]){this._setFunctions(e);let i=this._items!==e.items;return this._items=e.items||[],this._virtualizer?this._updateVirtualizerConfig(t,e):this._initialize(t,e),i?x:this.render()}async _updateVirtualizerConfig(t,e){if(!await this._virtualizer.updateLayoutConfig(e.layout||{})){let s=t.parentNode;this._makeVirtualizer(s,e)}this._virtualizer.items=this._items}_setFunctions(t){let{renderItem:e,keyFunction:i}=t;e&&(this._renderItem=(s,n)=>e(s,n+this._first)),i&&(this._keyFunction=(s,n)=>i(s,n+this._first))}_makeVirtualizer(t,e){this._virtualizer&&this._virtualizer.disconnected();let{layout:i,scroller:s,items:n}=e;this._virtualizer=new $t({hostElement:t,layout:i,scroller:s}),this._virtualizer.items=n,this._virtualizer.connected()}_initialize(t,e){let i=t.parentNode;i&&i.nodeType===1&&(i.addEventListener("rangeChanged",s=>{this._first=s.first,this._last=s.last,this.setValue(this.render())}),this._makeVirtualizer(i,e))}disconnected(){this._virtualizer?.disconnected()}reconnected(){this._virtualizer?.connected()}},Ee=J(Nt);var L=200,li=["chat","voice","automation","ai_task","agent"],hi=5*L,ci=1500,di=300,Ut=class extends y{constructor(){super();this.open=new Set;this.loading=!1;this.again=0;this.typing=0;this.filter={},this.rows=[],this.whole=!1}static{this.styles=[v,$`
      .row {
        box-sizing: border-box;
        width: 100%;
        padding: 10px 16px;
        margin: 0 0 8px;
      }
      details + .link {
        padding-left: 0;
      }
      details[open] + button {
        display: none;
      }
      summary {
        cursor: pointer;
        display: flex;
        flex-wrap: wrap;
        gap: 2px 12px;
      }
      .what {
        flex: 1 1 14rem;
        min-width: 0;
        font-weight: 500;
      }
      .mark {
        border: 1px solid currentColor;
        border-radius: 10px;
        padding: 0 8px;
        font-size: 0.85rem;
        align-self: center;
      }
    `]}static{this.properties={...y.properties,filter:{attribute:!1},rows:{state:!0},house:{state:!0},whole:{state:!0}}}disconnectedCallback(){super.disconnectedCallback(),window.clearTimeout(this.again),window.clearTimeout(this.typing)}firstUpdated(){super.firstUpdated(),this.attempt(async()=>{this.house=await g(this.hass,"house")})}updated(e){e.has("filter")&&e.get("filter")!==void 0&&this.attempt(()=>this.load())}async load(){let e=await this.page({});e&&(this.rows=e,this.whole=e.length<L)}changed(e){if(e!=="trail")return;let i=()=>{this.attempt(async()=>{let s=await this.page({});s&&await this.join(s)})};window.clearTimeout(this.again),i(),this.again=window.setTimeout(i,ci)}async join(e){let i=this.filter,s=this.rows[0]?.seq??1/0,n=e.length<L;for(;!n&&(e.at(-1)?.seq??0)>s&&e.length<hi;){let l=await this.page({before:e.at(-1)?.seq});if(!l)return;e=[...e,...l],n=l.length<L}if(i!==this.filter)return;let o=e.at(-1)?.seq??0;if(!n&&o>s){this.rows=e,this.whole=!1;return}this.rows=[...e,...this.rows.filter(l=>l.seq<o)]}async page(e){let i=this.filter,s=await g(this.hass,"trail",{language:this.hass.language,limit:L,...i,...e});return i===this.filter?s:void 0}async more(){let e=this.rows.at(-1);if(this.loading||this.whole||!e)return;this.loading=!0;let i=await this.attempt(()=>this.page({before:e.seq}));this.loading=!1,!(!i||this.rows.at(-1)?.seq!==e.seq)&&(this.rows=[...this.rows,...i],this.whole=i.length<L)}render(){return h`
      ${this.failure?h`<p class="failure" role="alert">${this.failure}</p>`:u}
      <div class="card line">
        <label class="grow"
          >${this.say("filter_who")}
          <select @change=${this.choosePerson}>
            <option value="">${this.say("filter_all")}</option>
            ${this.house?.people.map(e=>h`<option value="user:${e.user_id}">${e.name}</option>`)}
            ${li.filter(e=>e!=="chat").map(e=>h`<option value="origin:${e}">
                  ${w(this.hass.language,"origin",e)}
                </option>`)}
          </select>
        </label>
        <label class="grow"
          >${this.say("filter_tool")}
          <input type="search" placeholder="lock" @input=${this.typeTool} />
        </label>
        <label class="tick"
          ><input
            type="checkbox"
            .checked=${this.filter.refused??!1}
            @change=${this.tickRefused}
          />${this.say("filter_refused")}</label
        >
      </div>
      <div role="region" aria-label=${this.say("tab_trail")} @rangeChanged=${this.scrolled}>
        ${Ee({items:this.rows,keyFunction:e=>e.seq,renderItem:e=>this.row(e)})}
      </div>
      ${this.rows.length===0?h`<p class="card">${this.say("trail_none")}</p>`:u}
    `}row(e){let i=e.entities.join(", ");return h`
      <div class="card row">
      <details
        ?open=${this.open.has(e.seq)}
        @toggle=${s=>this.toggled(e,s)}
      >
        <summary>
          <span class="soft">${E(this.hass.language,e.when)}</span>
          <span class="what words">${e.action||e.tool}</span>
          <span class="soft words">${e.who}</span>
          <span class="mark">${this.outcome(e)}</span>
        </summary>
        <dl>
          <dt>${this.say("row_tool")}</dt>
          <dd>${e.tool}</dd>
          <dt>${this.say("row_arguments")}</dt>
          <dd><pre>${e.arguments||"–"}</pre></dd>
          <dt>${this.say("row_touched")}</dt>
          <dd>${e.touched.join(", ")||i||"–"}</dd>
          <dt>${this.say("row_why")}</dt>
          <dd>${e.why||"–"}</dd>
          <dt>${this.say("row_rule")}</dt>
          <dd>${this.rule(e)}</dd>
          ${e.approved_by?h`<dt>${this.say("row_approved_by")}</dt>
                <dd>${e.approved_by}</dd>`:u}
          <dt>${this.say("row_agent")}</dt>
          <dd>${e.agent||"–"}${e.worker?` · ${e.worker}`:""}</dd>
          <dt>${this.say("row_number")}</dt>
          <dd>${e.seq} · ${e.decision_id}</dd>
        </dl>
      </details>
      ${e.line_now?this.rule(e):u}
      </div>
    `}toggled(e,i){i.target.open?this.open.add(e.seq):this.open.delete(e.seq)}rule(e){if(!e.rule)return this.say("row_no_rule");if(e.line===null)return e.rule;let i=e.line;return e.line_now?h`<button
      class="link"
      @click=${()=>this.dispatchEvent(new dt("policy",i))}
    >
      ${this.say("row_rule_line",{rule:e.rule,line:i})}
    </button>`:this.say("row_rule_then",{rule:e.rule,line:i})}outcome(e){if(e.verdict!=="go")return w(this.hass.language,"verdict",e.verdict);let i=w(this.hass.language,"result",e.result);return i===e.result?`${this.say("result_error")} (${e.result})`:i}scrolled(e){e.last>this.rows.length-L/2&&this.more()}choosePerson(e){let[i,s]=e.target.value.split(/:(.*)/s),{user_id:n,origin:o,...l}=this.filter;i==="user"?this.filter={...l,user_id:s}:i==="origin"?this.filter={...l,origin:s}:this.filter=l}typeTool(e){let i=e.target.value.trim().toLowerCase();window.clearTimeout(this.typing),this.typing=window.setTimeout(()=>{let{tool:s,...n}=this.filter;this.filter=i?{...n,tool:i}:n},di)}tickRefused(e){this.filter={...this.filter,refused:e.target.checked}}};customElements.define("caesar-trail",Ut);var Wt=class extends y{static{this.styles=v}static{this.properties={...y.properties,waiting:{state:!0},busy:{state:!0}}}constructor(){super(),this.busy=""}async load(){this.waiting=await g(this.hass,"waiting",{language:this.hass.language})}changed(){this.attempt(()=>this.load())}render(){return h`
      ${this.failure?h`<p class="failure" role="alert">${this.failure}</p>`:u}
      <div aria-live="polite">
        ${this.waiting?.length===0?h`<p class="card">${this.say("waiting_none")}</p>`:this.waiting?.map(t=>this.question(t))}
      </div>
    `}question(t){return h`
      <section class="card" aria-label=${t.text}>
        <p class="words">${t.text}</p>
        <p class="soft">
          ${this.say("waiting_until",{since:E(this.hass.language,t.created_at),until:E(this.hass.language,t.expires_at)})}
        </p>
        <div class="line">
          <button
            class="main"
            ?disabled=${this.busy===t.approval_id}
            @click=${()=>this.answer(t,!0)}
          >
            ${this.say("yes")}
          </button>
          <button
            ?disabled=${this.busy===t.approval_id}
            @click=${()=>this.answer(t,!1)}
          >
            ${this.say("no")}
          </button>
        </div>
      </section>
    `}async answer(t,e){this.busy=t.approval_id,await this.attempt(()=>g(this.hass,"answer",{approval_id:t.approval_id,yes:e}));let i=this.failure;await this.attempt(()=>this.load()),this.failure=i||this.failure,this.busy=""}};customElements.define("caesar-waiting",Wt);var N=["waiting","trail","refused","policy","house"],Bt=class extends S{constructor(){super();this.wanted={};this.tab="waiting",this.ready=!1,this.addEventListener("open-tab",e=>{let{tab:i,line:s}=e.detail;this.open(i,s)})}static{this.properties={hass:{attribute:!1},narrow:{type:Boolean},route:{attribute:!1},panel:{attribute:!1},tab:{state:!0},line:{state:!0},ready:{state:!0}}}static{this.styles=[v,$`
      :host {
        min-height: 100vh;
        background: var(--primary-background-color);
      }
      header {
        position: sticky;
        top: 0;
        z-index: 2;
        background: var(--app-header-background-color, var(--card-background-color));
        color: var(--app-header-text-color, var(--primary-text-color));
        border-bottom: 1px solid var(--divider-color);
      }
      .title {
        display: flex;
        align-items: center;
        height: var(--header-height, 56px);
        padding: 0 12px;
      }
      h1 {
        font-size: 1.25rem;
        font-weight: 400;
        margin: 0 8px;
      }
      [role="tablist"] {
        display: flex;
        overflow-x: auto;
      }
      [role="tab"] {
        flex: 0 0 auto;
        color: inherit;
        border: 0;
        border-bottom: 3px solid transparent;
        border-radius: 0;
        padding: 8px 16px;
      }
      [role="tab"][aria-selected="true"] {
        border-bottom-color: currentColor;
        font-weight: 600;
      }
      [role="tab"]:focus-visible {
        outline-color: currentColor;
        outline-offset: -3px;
      }
      main {
        max-width: 1000px;
        margin: 0 auto;
        padding: 16px 12px 64px;
      }
    `]}connectedCallback(){super.connectedCallback(),this.hass&&this.watch()}disconnectedCallback(){super.disconnectedCallback(),this.stop?.then(e=>e()).catch(()=>{}),this.stop=void 0}firstUpdated(){this.follow(),this.watch(),this.hass.loadBackendTranslation("exceptions","caesar").finally(()=>{this.ready=!0})}shouldUpdate(e){let i=e.get("hass");return e.size>1||!i?!0:i.language!==this.hass.language||i.connection!==this.hass.connection}updated(e){e.has("route")&&e.get("route")&&this.follow()}render(){return this.ready?h`
      <header>
        <div class="title">
          <ha-menu-button .hass=${this.hass} .narrow=${this.narrow}></ha-menu-button>
          <h1>CAESAR</h1>
        </div>
        <div role="tablist" aria-label="CAESAR" @keydown=${this.moveTab}>
          ${N.map(e=>h`<button
                role="tab"
                id="tab-${e}"
                aria-controls="panel"
                aria-selected=${e===this.tab}
                tabindex=${e===this.tab?0:-1}
                @click=${()=>this.open(e)}
              >
                ${K(this.hass.language,`tab_${e}`)}
              </button>`)}
        </div>
      </header>
      <main id="panel" role="tabpanel" aria-labelledby="tab-${this.tab}">${this.view()}</main>
    `:h``}view(){switch(this.tab){case"waiting":return h`<caesar-waiting .hass=${this.hass}></caesar-waiting>`;case"trail":return h`<caesar-trail .hass=${this.hass} .filter=${this.wanted}></caesar-trail>`;case"refused":return h`<caesar-refused .hass=${this.hass}></caesar-refused>`;case"policy":return h`<caesar-policy .hass=${this.hass} .line=${this.line}></caesar-policy>`;case"house":return h`<caesar-house .hass=${this.hass}></caesar-house>`}}follow(){let[,e,i]=(this.route?.path??"").split("/");this.wanted=i?{decision_id:decodeURIComponent(i)}:{},N.includes(e)&&(this.tab=e)}open(e,i){this.line=i,this.wanted={},this.tab=e,history.replaceState(null,"",`/caesar/${e}`)}moveTab(e){let i={ArrowRight:1,ArrowLeft:-1}[e.key];if(!i)return;e.preventDefault();let s=(N.indexOf(this.tab)+i+N.length)%N.length,n=N[s]??"waiting";this.open(n),this.updateComplete.then(()=>this.renderRoot.querySelector(`#tab-${n}`)?.focus())}watch(){this.stop||(this.stop=this.hass.connection.subscribeMessage(e=>this.renderRoot.querySelector("main > *")?.changed(e.changed),{type:"caesar/watch"}),this.stop.catch(()=>{this.stop=void 0}))}};customElements.define("caesar-panel",Bt);
